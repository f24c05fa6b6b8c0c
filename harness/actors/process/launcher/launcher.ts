/**
 * The launcher: a small program of ours that starts a target in namespaces of its own (source: `launch.c`).
 *
 * Owns: finding the binary, and verifying that its bytes are those that were reviewed. Does not own: its arguments. `node
 * scripts/launcher.ts` compiles it again. Start at {@link findLauncher}.
 */
import { createHash } from 'node:crypto';
import { accessSync, chmodSync, constants, existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { DIGESTS } from './digests.ts';

/**
 * Returns the path of the launcher for this machine, or why there is none.
 *
 * @param folder - The folder to search; default: that of this module.
 */
export function findLauncher(folder: URL = new URL('.', import.meta.url)): string | { readonly refused: string } {
  if (process.platform !== 'linux') return { refused: `${process.platform} has no namespaces` };
  const name = `launch-${process.arch}`;
  const digest = DIGESTS[name];
  if (digest === undefined) return { refused: `there is no launcher for ${process.arch}` };
  const path = fileURLToPath(new URL(name, folder));
  if (!existsSync(path)) return { refused: `"${path}" is missing` };
  if (createHash('sha256').update(readFileSync(path)).digest('hex') !== digest)
    return { refused: `"${path}" is not the launcher that stalemate was released with` };
  return executable(path);
}

/** Returns a path that can be executed: not every archive preserves file permissions. */
function executable(path: string): string | { readonly refused: string } {
  try {
    accessSync(path, constants.X_OK);
  } catch {
    try {
      chmodSync(path, 0o755);
    } catch {
      return { refused: `"${path}" may not be executed` };
    }
  }
  return path;
}
