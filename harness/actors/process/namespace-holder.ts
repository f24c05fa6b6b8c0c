/**
 * Keeps a network namespace alive, and opens sockets in it for its parent process.
 *
 * Sockets belong to the namespace in which they were created and work from anywhere: the sockets opened here are handed over, so no traffic
 * is copied. Ends with its parent. Start at `answer`.
 */
import { createSocket, type Socket as NameSocket } from 'node:dgram';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/** A request from the parent. Ports are loopback ports inside the namespace. */
export type Ask =
  | { readonly id: number; readonly ask: 'listen'; readonly at?: { readonly host: string; readonly port: number } }
  | { readonly id: number; readonly ask: 'names' }
  | { readonly id: number; readonly ask: 'connect'; readonly port: number };

/** The answer, with the socket attached. `id` 0: the holder is ready. */
export interface Answer {
  readonly id: number;
  readonly port: number;
  /** The reason if there is no socket. */
  readonly error: string | null;
}

const LOOPBACK = '127.0.0.1';
/** The port of DNS servers. */
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
  // Read nothing: the data and the end of the stream are for the process that receives the socket.
  socket.pause();
  const fail = ({ message }: Error): void => say({ id, port: ask.port, error: message });
  socket.once('error', fail);
  socket.once('connect', () => {
    socket.off('error', fail);
    // If the target is killed while the socket waits to be handed over, the error must not end this process.
    socket.on('error', () => {});
    say({ id, port: ask.port, error: null }, socket);
  });
}

function say(message: Answer, socket?: Server | Socket | NameSocket): void {
  // A listening socket is shared rather than moved: close it here.
  process.send?.(message, socket, {}, () => {
    if (socket !== undefined && 'close' in socket) socket.close();
  });
}

process.on('message', answer);
process.on('disconnect', () => process.exit());
say({ id: 0, port: 0, error: null });
