/**
 * Detects whether a process sleeps, by the states of all its threads and those of its descendants, as the kernel reports them.
 *
 * Owns: reading and interpreting the states. Does not own: waiting (`execution/hosts/wall-rest.ts`). Without /proc the state is unknown.
 * Start at {@link ThreadWatch}.
 */
import { closeSync, openSync, readSync } from 'node:fs';
import { realNow } from '../../determinism/real-time.ts';
import { familyOf, tasksOf } from './family.ts';

/** `asleep`: no thread ran between this reading and the previous one; `dozing`: none is running now. */
export type Sleep = 'asleep' | 'dozing' | 'awake' | 'unknown';

/** The interval for finding new processes of a target. */
const FAMILY_EVERY_MS = 100;

/** A thread's files, kept open: opening them takes five times as long as reading them. */
interface Thread {
  /** The file with its state. */
  readonly stat: number;
  /** The file with its run time and the number of times it was scheduled. */
  readonly schedule: number;
}

/** Observes one process and its descendants. */
export class ThreadWatch {
  readonly #pid: number;
  readonly #threads = new Map<string, Thread>();
  #family: readonly number[] = [];
  #familyAtMs = Number.NEGATIVE_INFINITY;
  #ran = '';
  #awake = true;
  #ranMs = 0;

  constructor(pid: number) {
    this.#pid = pid;
  }

  /** Reads the states once. Only two readings in a row prove that it sleeps: one thread may wake another during a reading. */
  look(): Sleep {
    // A sleeping process starts no threads.
    if (this.#awake) this.#list();
    let running = false;
    let ran = '';
    let ranNs = 0;
    for (const [path, thread] of this.#threads) {
      const stat = read(thread.stat);
      if (stat === '') this.#forget(path, thread);
      else {
        running ||= !SLEEPING.test(stat.slice(stat.lastIndexOf(')')));
        const schedule = read(thread.schedule);
        ran += schedule;
        ranNs += Number.parseInt(schedule, 10) || 0;
      }
    }
    this.#awake = running || ran !== this.#ran;
    this.#ran = ran;
    this.#ranMs = ranNs / NS_PER_MS;
    if (ran === '') return 'unknown';
    if (running) return 'awake';
    return this.#awake ? 'dozing' : 'asleep';
  }

  /**
   * The total processor time of the process's threads at the last reading, in ms, without the time of ended threads. On a busy machine, a
   * second of processor time may take many seconds.
   */
  get ranMs(): number {
    return this.#ranMs;
  }

  /** Closes the files that are kept open. */
  close(): void {
    for (const [path, thread] of this.#threads) this.#forget(path, thread);
  }

  #list(): void {
    if (realNow() - this.#familyAtMs > FAMILY_EVERY_MS) {
      this.#family = familyOf(this.#pid);
      this.#familyAtMs = realNow();
    }
    for (const path of this.#family.flatMap(tasksOf)) {
      if (this.#threads.has(path)) continue;
      const thread = open(path);
      if (thread !== undefined) this.#threads.set(path, thread);
    }
  }

  #forget(path: string, { stat, schedule }: Thread): void {
    this.#threads.delete(path);
    closeSync(stat);
    closeSync(schedule);
  }
}

const NS_PER_MS = 1e6;
/** Matches the state after the thread's name: interruptible sleep, stopped or zombie. */
const SLEEPING = /^\) [STtZX]/;
const buffer = Buffer.alloc(512);

/** Returns the current content of an open file of /proc; empty once its thread is gone. */
function read(file: number): string {
  try {
    return buffer.toString('latin1', 0, readSync(file, buffer, 0, buffer.length, 0));
  } catch {
    return '';
  }
}

/** Opens the files of a thread; undefined if the thread has ended, or if this kernel does not report it. */
function open(path: string): Thread | undefined {
  let stat: number | undefined;
  try {
    stat = openSync(`${path}/stat`, 'r');
    return { stat, schedule: openSync(`${path}/schedstat`, 'r') };
  } catch {
    if (stat !== undefined) closeSync(stat);
    return undefined;
  }
}
