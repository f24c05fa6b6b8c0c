/**
 * Runs the real command line and interrupts it, once or several times, in one of the ways that people and machines do it.
 *
 * Owns: starting it (directly, through the hand-over from a Node that is too old, through npm or npx), the signals, and its output. Does
 * not own: what must be left afterwards (`interrupts.ts`). Needs util-linux `script` for a terminal.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';

/** `node`: the executable itself. `hand-over`: through a Node that is too old, which stays as its parent process. */
export const WAYS = ['node', 'hand-over', 'npm', 'npx'] as const;
export type Way = (typeof WAYS)[number];
/** What receives the interrupt: the terminal, the whole process group, or only the first process. */
export const AIMS = ['terminal', 'group', 'process'] as const;
export type Aim = (typeof AIMS)[number];
/** `hang-up`: the terminal is closed. */
export type Interrupt = NodeJS.Signals | 'ctrl-c' | 'hang-up';

export interface InterruptPlan {
  readonly way: Way;
  readonly aim: Aim;
  /** What the first interrupt follows: the start, or a violation or finding on disk. Each further interrupt follows the previous one. */
  readonly since: 'start' | 'violation' | 'finding';
  /** The maximum time to wait for that event, in ms. */
  readonly waitMs: number;
  readonly interrupts: readonly { readonly send: Interrupt; readonly afterMs: number }[];
}

export interface InterruptedRun {
  /** Its output on stdout and stderr. */
  readonly text: string;
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** The interrupts that were sent before it ended. */
  readonly sent: readonly Interrupt[];
  /** Whether the event that the first interrupt waited for happened in time. */
  readonly cameUp: boolean;
  /** Whether a violation was on disk before the first interrupt. */
  readonly hadViolation: boolean;
  /** Time from the last interrupt to its end. */
  readonly endedMs: number;
  /** Whether it had printed nothing before the first interrupt. */
  readonly wasSilent: boolean;
  /** Whether it did not exit, and was killed. */
  readonly hung: boolean;
}

export interface RunPlace {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  /** The shell command line for each way. */
  readonly command: Readonly<Record<Way, string>>;
  /** Whether there is a violation on disk, or a finding. */
  readonly has: (what: 'violation' | 'finding') => boolean;
}

const POLL_MS = 5;
const HUNG_MS = 120_000;
const CTRL_C = '\u0003';

/** Starts the run, interrupts it, and waits for its end. */
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
  // The run may have ended before the next Ctrl-C.
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
  // A leftover process keeps these streams open; the caller reports it.
  await Promise.race([closed, delay(HUNG_MS, undefined, { ref: false })]);
  return { text, code, signal, sent, cameUp, hadViolation, endedMs, wasSilent, hung };
}

function interrupt(child: ChildProcess, aim: Aim, send: Interrupt): void {
  if (send === 'ctrl-c') child.stdin?.write(CTRL_C);
  // Killing `script` closes its terminal.
  else if (send === 'hang-up') child.kill('SIGKILL');
  else if (aim === 'group' && child.pid !== undefined) process.kill(-child.pid, send);
  else child.kill(send);
}
