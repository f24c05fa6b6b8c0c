/** Where to find kubectl: on PATH, or where `scripts/build-kubectl.ts` keeps what it builds. */
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';

/** The version that the embedded API server is compared with. */
export const KUBECTL_VERSION = 'v1.36.3';

/** Path of the binary in the cache, there or not. */
export function cachedKubectl(): string {
  const cache = process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache');
  return join(cache, 'stalemate', 'kubectl', KUBECTL_VERSION, 'kubectl');
}

/** A kubectl to run: the cached one, else the first on PATH, else undefined. */
export function findKubectl(): string | undefined {
  const onPath = (process.env['PATH'] ?? '').split(delimiter).map((folder) => join(folder, 'kubectl'));
  return [cachedKubectl(), ...onPath].find((path) => existsSync(path));
}
