/**
 * Detects whether a process sleeps: the states of all threads of it and its descendants, as the kernel reports them.
 *
 * Owns: reading them, and interpreting them. Does not own: waiting (`execution/hosts/wall-rest.ts`). Without /proc the state is unknown.
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
   * The total processor time of its threads at the last reading. On a busy machine a second of it may take many; the time of ended threads
   * is not included.
   */
  get ranMs(): number {
    return this.#ranMs;
  }

  /** Closes its files. */
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
/** After the thread's name: interruptible sleep, stopped, or a zombie. */
const SLEEPING = /^\) [STtZX]/;
const buffer = Buffer.alloc(512);

/** The current content of an open file of /proc; empty once its thread is gone. */
function read(file: number): string {
  try {
    return buffer.toString('latin1', 0, readSync(file, buffer, 0, buffer.length, 0));
  } catch {
    return '';
  }
}

/** Undefined if the thread has ended since, or if this kernel does not report it. */
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
