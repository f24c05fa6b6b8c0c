/** Commands and port-forwarding over WebSockets: either channels, numbered in the first byte of each message, or SPDY tunnelled inside. */
import type { CommandSession, PortSession } from '../../../wire/session.ts';
import type { Connected } from '../exchange.ts';
import { RunningCommand } from './command.ts';
import { converse, type Conversation } from './converse.ts';
import { notListening, overSpdy } from './over-spdy.ts';

/** A connection that carries messages: the part of a `ws` WebSocket that is used. */
export interface MessageSocket {
  send(message: Uint8Array | string): void;
  close(code: number): void;
  on(event: 'message', listener: (message: Buffer) => void): unknown;
  on(event: 'close', listener: () => void): unknown;
}

const TUNNEL = 'SPDY/3.1+portforward.k8s.io';

/** The supported subprotocols, newest first; empty for clients that name none. */
export const CHANNEL_PROTOCOLS: { readonly [type in Connected['type']]: readonly string[] } = {
  command: [
    'v5.channel.k8s.io',
    'v4.channel.k8s.io',
    'v4.base64.channel.k8s.io',
    'channel.k8s.io',
    'base64.channel.k8s.io',
    '',
  ],
  ports: [TUNNEL, 'v4.channel.k8s.io', 'v4.base64.channel.k8s.io', ''],
};

const STDIN = 0;
const STDOUT = 1;
const STDERR = 2;
const STATUS = 3;
/** The channel for closing other channels: the next byte is the number of the channel to close. Only in version 5. */
const CLOSED = 255;
const NORMAL = 1000;
const NOTHING = Buffer.alloc(0);

export function overWebSocket(session: Connected, socket: MessageSocket, protocol: string): void {
  if (protocol === TUNNEL) {
    const spdy = overSpdy(
      session,
      (bytes) => socket.send(bytes),
      () => socket.close(NORMAL),
    );
    socket.on('message', (message) => spdy.read(message));
    return;
  }
  const channels = new Channels(socket, protocol.includes('base64'));
  if (session.type === 'command') commandOver(session, channels, /^v[45]\./.test(protocol));
  else portsOver(session, channels);
}

class Channels {
  readonly #socket: MessageSocket;
  readonly #base64: boolean;

  constructor(socket: MessageSocket, base64: boolean) {
    this.#socket = socket;
    this.#base64 = base64;
  }

  send(channel: number, piece: Uint8Array): void {
    const bytes = Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength);
    this.#socket.send(
      this.#base64 ? `${channel}${bytes.toString('base64')}` : Buffer.concat([Buffer.of(channel), bytes]),
    );
  }

  read(listener: (channel: number, piece: Buffer) => void): void {
    this.#socket.on('message', (message) => {
      if (message.length === 0) return;
      const first = message.readUInt8(0);
      const rest = message.subarray(1);
      if (this.#base64) listener(first - 0x30, Buffer.from(rest.toString('latin1'), 'base64'));
      else listener(first, rest);
    });
  }

  onClose(listener: () => void): void {
    this.#socket.on('close', listener);
  }

  close(): void {
    this.#socket.close(NORMAL);
  }
}

function commandOver(session: CommandSession, channels: Channels, asStatus: boolean): void {
  // Confirms the connection to the client.
  channels.send(session.stdout ? STDOUT : session.stderr ? STDERR : STATUS, NOTHING);
  const running = new RunningCommand(session, {
    stdout: (piece) => channels.send(STDOUT, piece),
    stderr: (piece) => channels.send(STDERR, piece),
    status: (status) => {
      if (asStatus) channels.send(STATUS, Buffer.from(JSON.stringify(status)));
      else if (typeof status['message'] === 'string') channels.send(STATUS, Buffer.from(status['message']));
      channels.close();
    },
  });
  channels.read((channel, piece) => {
    if (channel === STDIN && piece.length > 0) running.reads(piece);
    else if (channel === CLOSED && piece[0] === STDIN) running.readsEnd();
  });
}

function portsOver(session: PortSession, channels: Channels): void {
  const conversations = session.ports.map((port, index): Conversation | undefined => {
    const [data, error] = [2 * index, 2 * index + 1];
    const named = Buffer.alloc(2);
    named.writeUInt16LE(port);
    channels.send(data, named);
    channels.send(error, named);
    const speech = session.speechOf(port);
    if (speech !== undefined)
      return converse(speech, { say: (piece) => channels.send(data, piece), end: () => channels.close() });
    channels.send(error, Buffer.from(notListening(session.pod, port)));
    return undefined;
  });
  channels.read((channel, piece) => {
    if (channel % 2 === 0 && piece.length > 0) conversations[channel / 2]?.take(piece);
  });
  channels.onClose(() => {
    for (const conversation of conversations) conversation?.end();
  });
}
