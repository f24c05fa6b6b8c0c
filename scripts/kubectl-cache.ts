/** Where a kubectl built by `build-kubectl.ts` is kept. */
import { homedir } from 'node:os';
import { join } from 'node:path';

/** The version that the embedded API server is compared with. */
export const KUBECTL_VERSION = 'v1.36.3';

/** Path of the binary in the cache, there or not. */
export function cachedKubectl(): string {
  const cache = process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache');
  return join(cache, 'stalemate', 'kubectl', KUBECTL_VERSION, 'kubectl');
}
