/**
 * The program that keeps a network namespace alive, and opens sockets in it for its parent.
 *
 * Sockets belong to the namespace that they were made in and work from everywhere: those that are opened here are handed over, and
 * not a byte of what passes through them is copied. It ends when the one who started it does. Start at `answer`.
 */
import { createSocket, type Socket as NameSocket } from 'node:dgram';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/** What it is asked for. Ports are of loopback, inside. */
export type Ask =
  | { readonly id: number; readonly ask: 'listen'; readonly at?: { readonly host: string; readonly port: number } }
  | { readonly id: number; readonly ask: 'names' }
  | { readonly id: number; readonly ask: 'connect'; readonly port: number };

/** What it answers, with the socket beside it. `id` 0: it is there. */
export interface Answer {
  readonly id: number;
  readonly port: number;
  /** Why there is no socket. */
  readonly error: string | null;
}

const LOOPBACK = '127.0.0.1';
/** Of name servers. */
const NAMES_PORT = 53;

function answer(ask: Ask): void {
  const { id } = ask;
  if (ask.ask === 'listen') {
    const server = createServer();
    server.once('error', ({ message }) => say({ id, port: 0, error: message }));
    server.listen(ask.at?.port ?? 0, ask.at?.host ?? LOOPBACK, () => {
      const { port } = server.address() as AddressInfo;
      say({ id, port, error: null }, server);
    });
    return;
  }
  if (ask.ask === 'names') {
    const socket = createSocket('udp4');
    socket.once('error', ({ message }) => say({ id, port: NAMES_PORT, error: message }));
    socket.bind(NAMES_PORT, LOOPBACK, () => say({ id, port: NAMES_PORT, error: null }, socket));
    return;
  }
  const socket = connect(ask.port, LOOPBACK);
  // Whatever it has to say, its end included, is for the process that gets it.
  socket.pause();
  const fail = ({ message }: Error): void => say({ id, port: ask.port, error: message });
  socket.once('error', fail);
  socket.once('connect', () => {
    socket.off('error', fail);
    // A target that is killed breaks off while this one waits to be handed over: no reason to end with it.
    socket.on('error', () => {});
    say({ id, port: ask.port, error: null }, socket);
  });
}

function say(message: Answer, socket?: Server | Socket | NameSocket): void {
  // A listening socket is shared rather than moved: it must not go on listening here.
  process.send?.(message, socket, {}, () => {
    if (socket !== undefined && 'close' in socket) socket.close();
  });
}

process.on('message', answer);
process.on('disconnect', () => process.exit());
say({ id: 0, port: 0, error: null });
