/**
 * The user's state folder, `$XDG_STATE_HOME/stalemate` or else `~/.local/state/stalemate`: files that stay on this machine
 * between runs.
 */
import { homedir } from 'node:os';
import { join } from 'node:path';

/** Returns a path below the state folder, which need not exist. */
export function stateFolder(...names: readonly string[]): string {
  return join(process.env['XDG_STATE_HOME'] || join(homedir(), '.local', 'state'), 'stalemate', ...names);
}
