/**
 * A process of this machine by more than its number, which others get after it: when it was started is part of it.
 *
 * Owns: reading that from `/proc`; elsewhere a number is all there is. Start at {@link isOurProcess}.
 */
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

export interface ProcessIdentity {
  /** Where its number means something: {@link ourHost}. */
  readonly host: string;
  readonly pid: number;
  /** Clock ticks since the machine started; empty where nobody tells. */
  readonly started: string;
}

/** Of ourselves. */
export function ourProcess(): ProcessIdentity {
  return identityOf(process.pid);
}

export function identityOf(pid: number): ProcessIdentity {
  return { host: ourHost(), pid, started: startOf(pid) };
}

/** This machine; of a container, that one: others count their processes anew. */
export function ourHost(): string {
  try {
    return `${hostname()} ${readlinkSync('/proc/self/ns/pid')}`;
  } catch {
    return hostname();
  }
}

/** Whether it still runs; of one on another machine nobody knows, so it may. */
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
