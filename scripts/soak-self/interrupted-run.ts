/**
 * One run of the real command line that is interrupted, once or several times in a row, in one of the ways that people and machines do it.
 *
 * Owns: starting it (as Node does, by way of the older Node's hand-over, through npm and npx), the signals, what it printed. Does not own:
 * what it should have left behind (`interrupts.ts`). Needs util-linux `script` for a terminal.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';

/** `node`: the executable itself. `hand-over`: by way of a Node that is too old, which stays as its parent. */
export const WAYS = ['node', 'hand-over', 'npm', 'npx'] as const;
export type Way = (typeof WAYS)[number];
/** Typed in a terminal; to all processes that a shell would count as one job; to the first one alone. */
export const AIMS = ['terminal', 'group', 'process'] as const;
export type Aim = (typeof AIMS)[number];
/** `hang-up`: the terminal is closed. */
export type Interrupt = NodeJS.Signals | 'ctrl-c' | 'hang-up';

export interface InterruptPlan {
  readonly way: Way;
  readonly aim: Aim;
  /** The first comes so long after the start, or after there is that on disk; each other one so long after the one before. */
  readonly since: 'start' | 'violation' | 'finding';
  /** How long that is waited for, ms. */
  readonly waitMs: number;
  readonly interrupts: readonly { readonly send: Interrupt; readonly afterMs: number }[];
}

export interface InterruptedRun {
  /** What it printed, to stdout and stderr. */
  readonly text: string;
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** Of those that were planned, before it had ended. */
  readonly sent: readonly Interrupt[];
  /** What the first one was to come after was there in time. */
  readonly cameUp: boolean;
  /** There was a violation on disk before the first one. */
  readonly hadViolation: boolean;
  /** From the last interrupt to its end. */
  readonly endedMs: number;
  /** It had not printed anything when the first one came. */
  readonly wasSilent: boolean;
  /** It did not end, and was killed. */
  readonly hung: boolean;
}

export interface RunPlace {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  /** The command line for each way, as a shell reads it. */
  readonly command: Readonly<Record<Way, string>>;
  /** Whether there is a violation on disk, or a finding. */
  readonly has: (what: 'violation' | 'finding') => boolean;
}

const POLL_MS = 5;
const HUNG_MS = 120_000;
const CTRL_C = '\u0003';

/** Starts, interrupts, and waits for the end. */
export async function interruptedRun(plan: InterruptPlan, place: RunPlace): Promise<InterruptedRun> {
  const { way, aim, since } = plan;
  const { cwd, env } = place;
  const command = `exec ${place.command[way]}`;
  const child =
    aim === 'terminal'
      ? spawn('script', ['--quiet', '--return', '--command', command, '/dev/null'], { cwd, env })
      : spawn('/bin/sh', ['-c', command], { cwd, env, detached: true });
  const exited = once(child, 'exit') as Promise<[number | null, NodeJS.Signals | null]>;
  const closed = once(child, 'close');
  let text = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8');
    stream.on('data', (piece: string) => (text += piece));
  }
  // It may have ended when the next Ctrl-C is typed.
  child.stdin.on('error', () => {});

  const isOver = (): boolean => child.exitCode !== null || child.signalCode !== null;
  const until = performance.now() + plan.waitMs;
  if (since !== 'start') while (!isOver() && !place.has(since) && performance.now() < until) await delay(POLL_MS);
  const cameUp = since === 'start' || place.has(since);
  const hadViolation = place.has('violation');
  const sent: Interrupt[] = [];
  let wasSilent = true;
  let last = performance.now();
  for (const { send, afterMs } of plan.interrupts) {
    await Promise.race([delay(afterMs), exited]);
    if (isOver()) break;
    if (sent.length === 0) wasSilent = text === '';
    interrupt(child, aim, send);
    sent.push(send);
    last = performance.now();
  }
  const hung = await Promise.race([exited.then(() => false), delay(HUNG_MS, true, { ref: false })]);
  if (hung) interrupt(child, aim === 'terminal' ? 'process' : 'group', 'SIGKILL');
  const [code, signal] = await exited;
  const endedMs = performance.now() - last;
  // Where a process is left, it keeps these open; that is for others to complain of.
  await Promise.race([closed, delay(HUNG_MS, undefined, { ref: false })]);
  return { text, code, signal, sent, cameUp, hadViolation, endedMs, wasSilent, hung };
}

function interrupt(child: ChildProcess, aim: Aim, send: Interrupt): void {
  if (send === 'ctrl-c') child.stdin?.write(CTRL_C);
  // Whoever holds the other end of a terminal is gone, without a word.
  else if (send === 'hang-up') child.kill('SIGKILL');
  else if (aim === 'group' && child.pid !== undefined) process.kill(-child.pid, send);
  else child.kill(send);
}
