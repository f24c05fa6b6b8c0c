/**
 * Upgrades of a request to SPDY/3.1, or to a WebSocket with one of Kubernetes' subprotocols.
 *
 * Owns: protocol negotiation, and the refusal of unsupported protocols. Start at {@link become}.
 */
import type { IncomingMessage } from 'node:http';
import { createRequire } from 'node:module';
import type { Duplex } from 'node:stream';
import type { Connected } from '../exchange.ts';
import { overSpdy, SPDY_PROTOCOLS } from './over-spdy.ts';
import { CHANNEL_PROTOCOLS, overWebSocket, type MessageSocket } from './over-websocket.ts';

/** An upgrade request as Node passes it on. */
export interface Upgrade {
  readonly incoming: IncomingMessage;
  readonly socket: Duplex;
  /** Bytes after the request head. */
  readonly first: Buffer;
}

/** Reports whether a request asks for a SPDY connection. */
export function asksForSpdy({ headers }: Pick<IncomingMessage, 'headers'>): boolean {
  return (
    headers.upgrade?.toLowerCase() === 'spdy/3.1' && headers.connection?.toLowerCase().includes('upgrade') === true
  );
}

export function become(session: Connected, upgrade: Upgrade): void {
  if (asksForSpdy(upgrade.incoming)) becomeSpdy(session, upgrade);
  else becomeWebSocket(session, upgrade);
}

function becomeSpdy(session: Connected, { incoming, socket, first }: Upgrade): void {
  const asked = listOf(incoming.headers['x-stream-protocol-version']);
  const known = SPDY_PROTOCOLS[session.type];
  const chosen = known.find((one) => asked.includes(one));
  if (chosen === undefined) {
    refuse(
      socket,
      '403 Forbidden',
      `unable to upgrade: unable to negotiate protocol: client supports [${asked.join(' ')}], server accepts [${known.join(' ')}]`,
    );
    return;
  }
  socket.write(
    `HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\nX-Stream-Protocol-Version: ${chosen}\r\n\r\n`,
  );
  const connection = overSpdy(
    session,
    (bytes) => void (socket.writable && socket.write(bytes)),
    () => socket.end(),
  );
  if (first.length > 0) connection.read(first);
  socket.on('data', (piece: Buffer) => connection.read(piece));
  socket.on('end', () => socket.end());
}

function becomeWebSocket(session: Connected, { incoming, socket, first }: Upgrade): void {
  const asked = listOf(incoming.headers['sec-websocket-protocol']).filter((one) => !one.startsWith(TOKEN));
  const known = CHANNEL_PROTOCOLS[session.type];
  const chosen = known.find((one) => (one === '' ? asked.length === 0 : asked.includes(one)));
  if (chosen === undefined) {
    refuse(
      socket,
      '400 Bad Request',
      `requested protocol(s) are not supported: [${asked.join(' ')}]; supports [${known.join(' ')}]`,
    );
    return;
  }
  const { WebSocketServer } = webSockets();
  const server = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    handleProtocols: () => (chosen === '' ? false : chosen),
  });
  server.handleUpgrade(incoming, socket, first, (connection) => overWebSocket(session, connection, chosen));
}

/** The prefix of the subprotocol that carries a browser's bearer token. */
const TOKEN = 'base64url.bearer.authorization.k8s.io.';

function listOf(header: string | string[] | undefined): readonly string[] {
  return String(header ?? '')
    .split(',')
    .map((one) => one.trim())
    .filter((one) => one !== '');
}

function refuse(socket: Duplex, status: string, text: string): void {
  socket.end(
    `HTTP/1.1 ${status}\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: ${Buffer.byteLength(text)}\r\nConnection: close\r\n\r\n${text}`,
  );
}

/** The parts of the `ws` library that are used; it has no types. */
interface WebSockets {
  readonly WebSocketServer: new (options: {
    readonly noServer: true;
    readonly clientTracking: false;
    readonly perMessageDeflate: false;
    readonly handleProtocols: () => string | false;
  }) => {
    handleUpgrade(
      incoming: IncomingMessage,
      socket: Duplex,
      first: Buffer,
      done: (connection: MessageSocket) => void,
    ): void;
  };
}

let library: WebSockets | undefined;

/** Returns the library. It is loaded for the first WebSocket, because most runs have none. */
function webSockets(): WebSockets {
  library ??= createRequire(import.meta.url)('ws') as WebSockets;
  return library;
}
