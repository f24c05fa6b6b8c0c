/**
 * Identifies a process by its pid, start time and host. A pid alone is not enough: it is reused, and processes in other containers have the
 * same pids.
 *
 * A file that outlives its process carries this identity, so that a later process can distinguish leftovers from files in use. Owns:
 * reading it from `/proc`; other systems only provide the pid and the host name. Start at {@link isOurProcess}.
 */
import { createHash } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

export interface ProcessIdentity {
  /** The host where the pid is valid: {@link ourHost}. */
  readonly host: string;
  readonly pid: number;
  /** The start time in clock ticks since boot; empty where unavailable. */
  readonly started: string;
}

export function ourProcess(): ProcessIdentity {
  return identityOf(process.pid);
}

export function identityOf(pid: number): ProcessIdentity {
  return { host: ourHost(), pid, started: startOf(pid) };
}

/** Returns the identity of this machine, or of this container: each container has a pid namespace of its own. */
export function ourHost(): string {
  try {
    return `${hostname()} ${readlinkSync('/proc/self/ns/pid')}`;
  } catch {
    return hostname();
  }
}

/** Returns the identity in short form, for file names. */
export function markOf({ host, pid, started }: ProcessIdentity): string {
  return `${hostMark(host)}-${pid}-${started}`;
}

/** Returns a host in short form, for file names: containers may share a folder, but each has its own pids. */
export function hostMark(host: string = ourHost()): string {
  return createHash('sha256').update(host).digest('hex').slice(0, 8);
}

/** Reports whether the process that a mark identifies still runs: {@link isOurProcess}. */
export function isMarkAlive(mark: string): boolean {
  const [host = '', pid = '', started = ''] = mark.split('-');
  return host !== hostMark() || isOurProcess({ host: ourHost(), pid: Number(pid), started });
}

/** Reports whether a process still runs. Returns true for a process of another machine, whose state is unknown here. */
export function isOurProcess({ host, pid, started }: ProcessIdentity): boolean {
  if (host !== ourHost()) return true;
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return false;
  }
  return startOf(pid) === started;
}

/**
 * Returns the start time: field 22 of `/proc/PID/stat`, counted from the end of the name, which may contain anything. A zombie counts as
 * exited.
 */
function startOf(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return fields[0] === 'Z' ? 'ended' : (fields[19] ?? '');
  } catch {
    return '';
  }
}
