/** Finds processes that belong to a folder, by their environment or command line. Needs /proc. */
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

const POLL_MS = 50;

/** Returns the processes that have not ended within that time. */
export async function leftRunning(folder: string, withinMs: number): Promise<readonly string[]> {
  const until = Date.now() + withinMs;
  let running = processesOf(folder);
  while (running.length > 0 && Date.now() < until) {
    await delay(POLL_MS);
    running = processesOf(folder);
  }
  return running;
}

function processesOf(folder: string): readonly string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .flatMap((pid) => {
      try {
        const about = readFileSync(`/proc/${pid}/environ`, 'utf8') + readFileSync(`/proc/${pid}/cmdline`, 'utf8');
        const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').slice(0, 100);
        return about.includes(folder) ? [`process ${pid} (${command})`] : [];
      } catch {
        return [];
      }
    });
}
