/** Commands and port-forwarding over SPDY/3.1: what each stream is for. */
import type { Connected } from '../exchange.ts';
import type { CommandSession, PortSession } from '../../../wire/session.ts';
import { RunningCommand } from './command.ts';
import { converse } from './converse.ts';
import { SpdyConnection, type SpdyStream } from './spdy.ts';

/** The stream protocol versions, newest first. */
export const SPDY_PROTOCOLS: { readonly [type in Connected['type']]: readonly string[] } = {
  command: ['v5.channel.k8s.io', 'v4.channel.k8s.io'],
  ports: ['portforward.k8s.io'],
};

/** @param done Called once the client has disconnected, or has sent something invalid. */
export function overSpdy(session: Connected, send: (bytes: Buffer) => void, done: () => void): SpdyConnection {
  return session.type === 'command' ? commandOver(session, send, done) : portsOver(session, send, done);
}

function commandOver(session: CommandSession, send: (bytes: Buffer) => void, done: () => void): SpdyConnection {
  const { stdin, stdout, stderr, tty } = session;
  const awaited = ['error', ...(stdin ? ['stdin'] : []), ...(stdout ? ['stdout'] : [])];
  if (stderr && !tty) awaited.push('stderr');
  const streams = new Map<string, SpdyStream>();
  const begin = (): void => {
    const running = new RunningCommand(session, {
      stdout: (piece) => streams.get('stdout')?.write(piece),
      stderr: (piece) => streams.get('stderr')?.write(piece),
      status: (status) => {
        streams.get('error')?.write(Buffer.from(JSON.stringify(status)));
        for (const stream of streams.values()) stream.end();
      },
    });
    const input = streams.get('stdin');
    if (input === undefined) return;
    input.onData = (piece) => running.reads(piece);
    input.onEnd = () => running.readsEnd();
  };
  return new SpdyConnection(send, {
    opened: (stream) => {
      const type = stream.headers.get('streamtype') ?? '';
      if ((!awaited.includes(type) && type !== 'resize') || streams.has(type)) return false;
      streams.set(type, stream);
      if (type !== 'resize' && awaited.every((one) => streams.has(one))) begin();
      return true;
    },
    ended: done,
  });
}

/** A pair of streams, which together are one connection to a port. */
interface Pair {
  data?: SpdyStream;
  error?: SpdyStream;
}

function portsOver(session: PortSession, send: (bytes: Buffer) => void, done: () => void): SpdyConnection {
  const pairs = new Map<string, Pair>();
  return new SpdyConnection(send, {
    opened: (stream) => {
      const type = stream.headers.get('streamtype');
      const port = Number(stream.headers.get('port'));
      if (!(port >= 1 && port <= 65_535) || (type !== 'data' && type !== 'error')) return false;
      // Clients without request ids open the two streams of a pair in sequence, the error stream first.
      const request = stream.headers.get('requestid') ?? String(type === 'error' ? stream.id : stream.id - 2);
      const pair = pairs.get(request) ?? {};
      if (pair[type] !== undefined) return false;
      pair[type] = stream;
      pairs.set(request, pair);
      const { data, error } = pair;
      if (data === undefined || error === undefined) return true;
      pairs.delete(request);
      connect(session, port, data, error);
      return true;
    },
    ended: done,
  });
}

function connect(session: PortSession, port: number, data: SpdyStream, error: SpdyStream): void {
  const speech = session.speechOf(port);
  if (speech === undefined) {
    error.write(Buffer.from(notListening(session.pod, port)));
    error.end();
    data.end();
    return;
  }
  const conversation = converse(speech, {
    say: (piece) => data.write(piece),
    end: () => {
      data.end();
      error.end();
    },
  });
  data.onData = (piece) => conversation.take(piece);
  data.onEnd = () => conversation.end();
}

export function notListening(pod: string, port: number): string {
  return `error forwarding port ${port} to pod ${pod}, uid : failed to connect to localhost:${port} inside the pod: dial tcp4 127.0.0.1:${port}: connect: connection refused`;
}
