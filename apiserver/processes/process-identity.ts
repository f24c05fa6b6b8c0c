/**
 * A process by more than its number, which others get after it, and which others have in another container: when it was started is part
 * of it, and where it runs.
 *
 * What outlives a process in a file says by this who made it, so that the next one can distinguish what is left from what is in use. Owns:
 * reading that from `/proc`; elsewhere a number and the name of the machine are all there is. Start at {@link isOurProcess}.
 */
import { createHash } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

export interface ProcessIdentity {
  /** Where its number means something: {@link ourHost}. */
  readonly host: string;
  readonly pid: number;
  /** Clock ticks since the machine started; empty where they cannot be read. */
  readonly started: string;
}

/** Of ourselves. */
export function ourProcess(): ProcessIdentity {
  return identityOf(process.pid);
}

export function identityOf(pid: number): ProcessIdentity {
  return { host: ourHost(), pid, started: startOf(pid) };
}

/** This machine; of a container, that one: another one numbers its processes from 1. */
export function ourHost(): string {
  try {
    return `${hostname()} ${readlinkSync('/proc/self/ns/pid')}`;
  } catch {
    return hostname();
  }
}

/** The identity in short, for names of files. */
export function markOf({ host, pid, started }: ProcessIdentity): string {
  return `${hostMark(host)}-${pid}-${started}`;
}

/** Containers may share a folder, and count their processes each for itself. */
export function hostMark(host: string = ourHost()): string {
  return createHash('sha256').update(host).digest('hex').slice(0, 8);
}

/** Whether the process of a mark still runs, as {@link isOurProcess} says. */
export function isMarkAlive(mark: string): boolean {
  const [host = '', pid = '', started = ''] = mark.split('-');
  return host !== hostMark() || isOurProcess({ host: ourHost(), pid: Number(pid), started });
}

/** Whether it still runs; one on another machine cannot be checked, so it may. */
export function isOurProcess({ host, pid, started }: ProcessIdentity): boolean {
  if (host !== ourHost()) return true;
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return false;
  }
  return startOf(pid) === started;
}

/** Field 22 of `/proc/PID/stat`, counted from behind the name, which may hold anything; a zombie is no process any more. */
function startOf(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return fields[0] === 'Z' ? 'ended' : (fields[19] ?? '');
  } catch {
    return '';
  }
}
