/**
 * Whether a process sleeps: the states of all its threads, and of everything that it started, as the kernel reports them.
 *
 * Owns: reading them, and what can be said from them. Does not own: what is waited for (`execution/hosts/wall-rest.ts`). Where the kernel
 * reports nothing (no /proc), that is unknown. Start at {@link ThreadWatch}.
 */
import { closeSync, openSync, readSync } from 'node:fs';
import { realNow } from '../../determinism/real-time.ts';
import { familyOf, tasksOf } from './family.ts';

/** `asleep`: no thread ran between this look and the one before; `dozing`: none runs now. */
export type Sleep = 'asleep' | 'dozing' | 'awake' | 'unknown';

/** New processes of a target are looked for this often. */
const FAMILY_EVERY_MS = 100;

/** A thread's files, kept open: opening them costs five times as much as reading them. */
interface Thread {
  /** Its state. */
  readonly stat: number;
  /** How long it has run, and how often it was put on a processor. */
  readonly schedule: number;
}

/** Looks at one process and its offspring. */
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

  /** Looks once. Two looks in a row are needed to see that it sleeps: one thread may wake another while we read. */
  look(): Sleep {
    // Who sleeps starts no threads.
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
   * How long its threads had been on a processor at the last look, all together. On a busy machine a second of that may take many; what
   * ended threads did is not in it any more.
   */
  get ranMs(): number {
    return this.#ranMs;
  }

  /** Lets go of what it reads. */
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
/** Behind the name: interruptible sleep, stopped, or gone but not yet collected. */
const SLEEPING = /^\) [STtZX]/;
const buffer = Buffer.alloc(512);

/** What an open file of /proc says now; nothing once its thread is gone. */
function read(file: number): string {
  try {
    return buffer.toString('latin1', 0, readSync(file, buffer, 0, buffer.length, 0));
  } catch {
    return '';
  }
}

/** Undefined for one that has ended since, or where this kernel does not report it. */
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
