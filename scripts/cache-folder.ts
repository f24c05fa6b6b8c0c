/** Where programs of this repository keep what they build: `~/.cache/stalemate/NAME…`, or below XDG_CACHE_HOME. */
import { homedir } from 'node:os';
import { join } from 'node:path';

export function cacheFolder(...names: readonly string[]): string {
  return join(process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'stalemate', ...names);
}
