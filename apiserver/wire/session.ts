/**
 * What goes on over a connection that a request has become: a command that runs, ports that are forwarded, a log that is followed.
 *
 * An answer carries one; the shell (`apiserver/http/streams/`) speaks it over SPDY or a WebSocket.
 */
import type { Speech } from './declared-answers.ts';

export interface CommandResult {
  readonly stdout: string;
  readonly stderr: string;
  readonly exitCode: number;
}

/** `exec` and `attach`. */
export interface CommandSession {
  readonly type: 'command';
  readonly command: readonly string[];
  readonly tty: boolean;
  readonly stdin: boolean;
  readonly stdout: boolean;
  readonly stderr: boolean;
  /**
   * What the command does once it has read `stdin`, of which more may come unless `ended`; undefined while it waits for more. Nothing is
   * left to wait for once `ended`: `failed` says why the command could not run.
   */
  run(stdin: string, ended: boolean): CommandResult | { readonly failed: string } | undefined;
}

export interface PortSession {
  readonly type: 'ports';
  /** Named by the request; those of SPDY name theirs by stream. */
  readonly ports: readonly number[];
  /** Of the pod, for the words of a refusal. */
  readonly pod: string;
  /** What a port of the pod says; undefined where nothing listens. */
  speechOf(port: number): Speech | undefined;
}

/** A log whose container goes on. */
export interface LogSession {
  readonly type: 'log';
  readonly text: string;
}

export type Session = CommandSession | PortSession | LogSession;
