/** The cache folder for what scripts of this repository build: `~/.cache/stalemate/NAME…`, or below XDG_CACHE_HOME. */
import { join } from 'node:path';
import { userCache } from 'stalemate-apiserver/control-plane/binaries';

export function cacheFolder(...names: readonly string[]): string {
  return join(userCache(), ...names);
}
