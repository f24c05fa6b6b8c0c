/**
 * Ends processes that escaped from the process group, if the host permits no pid namespace.
 *
 * Every process of an incarnation inherits an environment that names the incarnation's folder. Owns: finding the processes by this
 * environment, if there is a /proc. A process that also changes its environment is not found.
 */
import { readdirSync, readFileSync } from 'node:fs';

/** Kills every process whose environment contains `mark`. */
export function killMarked(mark: string): void {
  for (const pid of processes()) {
    try {
      if (readFileSync(`/proc/${pid}/environ`, 'utf8').includes(mark)) process.kill(pid, 'SIGKILL');
    } catch {
      // It has ended, or belongs to another user.
    }
  }
}

function processes(): readonly number[] {
  try {
    return readdirSync('/proc').map(Number).filter(Number.isInteger);
  } catch {
    return [];
  }
}
