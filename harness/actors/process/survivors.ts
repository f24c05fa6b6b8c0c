/**
 * Ends what got away from the group of its first process, where the host permits no pid namespace.
 *
 * Every process of a life inherits an environment that names the folder of that life. Owns: finding them by it, where there is a
 * /proc. What also changes its environment is not found.
 */
import { readdirSync, readFileSync } from 'node:fs';

/** Kills every process whose environment holds `mark`. */
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
