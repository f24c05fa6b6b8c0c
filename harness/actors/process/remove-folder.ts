/**
 * Removes the folder of a life, which its processes may still be changing: they take a moment to die.
 *
 * A folder that is replaced by a link between two looks at it must not lead out of there, into the user's files. `rmSync` goes by paths
 * and can be led (one in 613 rounds against a program that does nothing else, with Node 20). Start at {@link removeWhatDies}.
 */
import type { ChildProcess } from 'node:child_process';
import { constants, existsSync } from 'node:fs';
import { open, readdir, rm, rmdir, unlink } from 'node:fs/promises';
import { realDelay } from '../../determinism/real-time.ts';

/** How long it may go on writing after it was killed. */
const DYING_MS = 200;
const FOLDER_ITSELF = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;

/** Of a life whose processes were killed: nothing where it had no folder yet. What is left after all is removed by its watcher (`watched.ts`). */
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
 * Not in the caller's thread: while the life dies the kernel takes milliseconds for each step, and others wait for that thread.
 *
 * @throws {Error} when something in it changes meanwhile; what is left can be removed by another call.
 */
export async function removeFolder(path: string): Promise<void> {
  // Where open files have no paths of their own, nothing that changes it is contained either.
  if (!existsSync('/proc/self/fd')) await rm(path, { recursive: true, force: true });
  else await remove(() => removeOpened(path));
}

/** By its descriptor, which stays that folder even if it is renamed. */
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

/** Another process may have removed it. */
async function remove(step: () => Promise<void>): Promise<void> {
  try {
    await step();
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
  }
}
