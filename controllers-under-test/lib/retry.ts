/** Pauses, and the one kind of retry that needs none. */
import { isConflict } from './errors.ts';

/** After that many conflicts in a row the growing pauses of the work queue serve better than another try at once. */
const ATTEMPTS = 3;

/** Runs a read-modify-write again when its write met a newer version. `attempt` must read anew each time. */
export async function retryOnConflict<T>(attempt: () => Promise<T>): Promise<T> {
  for (let n = 1; ; n++) {
    try {
      return await attempt();
    } catch (error) {
      if (!isConflict(error) || n === ATTEMPTS) throw error;
    }
  }
}

export function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}
