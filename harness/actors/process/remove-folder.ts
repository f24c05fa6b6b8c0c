/**
 * Removes the folder of an incarnation, which its processes may still be changing because they take a moment to die.
 *
 * If a folder is replaced by a link during the removal, the link must not lead out of the folder into the user's files. `rmSync` uses paths
 * and can be misled (in one of 613 rounds against a program that does nothing else, with Node 20). Start at {@link removeWhatDies}.
 */
import type { ChildProcess } from 'node:child_process';
import { constants, existsSync } from 'node:fs';
import { open, readdir, rm, rmdir, unlink } from 'node:fs/promises';
import { realDelay } from '../../determinism/real-time.ts';

/** How long a killed process may continue to write. */
const DYING_MS = 200;
const FOLDER_ITSELF = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;

/**
 * Removes the folder of an incarnation whose processes were killed; does nothing if the path is empty. The watcher of the incarnation
 * removes what is left (`watched.ts`).
 */
export async function removeWhatDies(path: string, process: ChildProcess | undefined): Promise<void> {
  if (path === '') return;
  const closed = new Promise<void>((resolve) => process?.once('close', () => resolve()));
  try {
    await removeFolder(path);
  } catch {
    await Promise.race([closed, realDelay(DYING_MS)]);
    await removeFolder(path).catch(() => {});
  }
}

/**
 * Removes a folder, outside the caller's thread: while the processes die, the kernel takes milliseconds for each step, and other work waits
 * for the caller's thread.
 *
 * @throws {Error} if the content changes during the removal; another call can remove the rest.
 */
export async function removeFolder(path: string): Promise<void> {
  // Without /proc/self/fd, processes that could change the folder are not contained anyway.
  if (!existsSync('/proc/self/fd')) await rm(path, { recursive: true, force: true });
  else await remove(() => removeOpened(path));
}

/** Removes a folder by its descriptor, which refers to that folder even if it is renamed. */
async function removeOpened(path: string | Buffer): Promise<void> {
  const opened = await open(path, FOLDER_ITSELF);
  try {
    const inside = Buffer.from(`/proc/self/fd/${opened.fd}/`);
    for (const entry of await readdir(inside, { withFileTypes: true, encoding: 'buffer' })) {
      const place = Buffer.concat([inside, entry.name]);
      await remove(() => (entry.isDirectory() ? removeOpened(place) : unlink(place)));
    }
  } finally {
    await opened.close();
  }
  await rmdir(path);
}

/** Runs a step of the removal, ignoring files that another process has removed. */
async function remove(step: () => Promise<void>): Promise<void> {
  try {
    await step();
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
  }
}
