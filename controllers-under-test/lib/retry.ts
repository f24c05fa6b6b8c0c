/** Pauses, and retries of conflicts without a pause. */
import { isConflict } from './errors.ts';

/** After this many conflicts in a row, the back-off of the work queue is better than another attempt at once. */
const ATTEMPTS = 3;

/** Repeats a read-modify-write after a conflict. Each `attempt` must read the object again. */
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
