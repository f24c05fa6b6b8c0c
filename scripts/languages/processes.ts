/**
 * Processes of the language driver: their output goes to a file, and they are stopped by process id.
 *
 * Owns: starting, waiting for a condition, stopping. Does not own: which programs they are (`controllers.ts`, `examples.ts`).
 */
import { spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

export interface Command {
  readonly file: string;
  readonly args: readonly string[];
  readonly cwd?: string;
  readonly env?: { readonly [name: string]: string };
}

export interface Running {
  readonly pid: number;
  /** The output so far. */
  output(): string;
  /** How it ended; undefined while it is running. */
  ended(): string | undefined;
  /** Sends SIGTERM, and SIGKILL after a grace period. */
  stop(): Promise<void>;
}

/** The time that a controller may take to shut down gracefully. */
const GRACE_MS = 10_000;
const POLL_MS = 20;

export class StepFailed extends Error {}

/** Starts a process with its output in `log`; `input` is its whole stdin. */
export function start(command: Command, log: string, input?: string): Running {
  const file = openSync(log, 'w');
  const child = spawn(command.file, command.args, {
    cwd: command.cwd,
    env: { ...process.env, ...command.env },
    stdio: [input === undefined ? 'ignore' : 'pipe', file, file],
  });
  closeSync(file);
  let how: string | undefined;
  const closed = new Promise<void>((resolve) => {
    child.once('error', (error) => {
      how = `could not be started: ${error.message}`;
      resolve();
    });
    child.once('exit', (code, signal) => {
      how ??= `ended with ${code === null ? signal : `exit code ${code}`}`;
      resolve();
    });
  });
  if (input !== undefined) child.stdin?.end(input);
  const stop = async (): Promise<void> => {
    if (how !== undefined) return;
    child.kill('SIGTERM');
    const cancelled = new AbortController();
    const impatient = delay(GRACE_MS, undefined, { signal: cancelled.signal }).then(
      () => child.kill('SIGKILL'),
      () => undefined,
    );
    await closed;
    cancelled.abort();
    await impatient;
  };
  return { pid: child.pid ?? 0, output: () => readFileSync(log, 'utf8'), ended: () => how, stop };
}

/** Runs a process until it exits. @throws {StepFailed} with the end of its output if it fails. */
export async function runToEnd(what: string, command: Command, log: string, timeoutMs: number): Promise<void> {
  const running = start(command, log);
  try {
    await until(`${what} to end`, timeoutMs, () => running.ended() !== undefined);
  } finally {
    await running.stop();
  }
  if (running.ended() !== 'ended with exit code 0')
    throw new StepFailed(`${what} ${running.ended()}:\n${lastLines(running.output())}`);
}

/** Polls until the condition holds; returns how long that took, in milliseconds. @throws {StepFailed} if it does not become true. */
export async function until(
  what: string,
  timeoutMs: number,
  holds: () => boolean | Promise<boolean>,
  alive?: Running,
): Promise<number> {
  const began = performance.now();
  for (;;) {
    if (await holds()) return Math.round(performance.now() - began);
    if (alive?.ended() !== undefined) throw new StepFailed(`waited for ${what}, but the process ${alive.ended()}`);
    if (performance.now() - began > timeoutMs) throw new StepFailed(`waited ${timeoutMs / 1000} s for ${what}`);
    await delay(POLL_MS);
  }
}

export function lastLines(text: string, count = 30): string {
  return text.trimEnd().split('\n').slice(-count).join('\n');
}
