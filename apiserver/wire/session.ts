/**
 * The content of an upgraded connection or a streamed answer: a running command, forwarded ports, or a log that the client follows.
 *
 * An answer carries the session; the HTTP shell (`apiserver/server/http/streams/`) transports it over SPDY or a WebSocket.
 */
import type { Speech } from './declared-answers.ts';

export interface CommandResult {
  readonly stdout: string;
  readonly stderr: string;
  readonly exitCode: number;
}

/** The session of `exec` and `attach`. */
export interface CommandSession {
  readonly type: 'command';
  readonly command: readonly string[];
  readonly tty: boolean;
  readonly stdin: boolean;
  readonly stdout: boolean;
  readonly stderr: boolean;
  /**
   * Returns the result of the command for the input `stdin`, or undefined while it needs more input. More input may follow unless `ended`;
   * once `ended` is true it must return a result. `failed`: the reason why the command could not run.
   */
  run(stdin: string, ended: boolean): CommandResult | { readonly failed: string } | undefined;
}

export interface PortSession {
  readonly type: 'ports';
  /** The ports of the request; over SPDY each stream names its own port. */
  readonly ports: readonly number[];
  /** The pod, for error messages. */
  readonly pod: string;
  /** Returns the server on a port of the pod; undefined if no process listens there. */
  speechOf(port: number): Speech | undefined;
}

/** A log of a running container. */
export interface LogSession {
  readonly type: 'log';
  readonly text: string;
}

export type Session = CommandSession | PortSession | LogSession;
