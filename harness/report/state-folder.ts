/** The user's state folder, `$XDG_STATE_HOME/stalemate` or else `~/.local/state/stalemate`: what is kept on this machine between runs. */
import { homedir } from 'node:os';
import { join } from 'node:path';

/** A place below it; it need not be there. */
export function stateFolder(...names: readonly string[]): string {
  return join(process.env['XDG_STATE_HOME'] || join(homedir(), '.local', 'state'), 'stalemate', ...names);
}
