/**
 * The clusters that stalemate serves itself, noted by the uid of their namespace kube-system: they need not be allowed.
 *
 * One file for each in the user's state folder (`$XDG_STATE_HOME/stalemate/served`, else `~/.local/state/…`), there for as long as it is
 * served. Owns: these files. Start at {@link noteServed}.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isOurProcess, ourProcess, type ProcessIdentity } from 'stalemate-apiserver/processes/process-identity';
import { stateFolder } from '../../report/state-folder.ts';

/** Notes one of ours. Resolves with what takes the note away again. */
export function noteServed(uid: string, url: string, folder: string = stateFolder('served')): () => void {
  const file = fileOf(uid, folder);
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    forgetEnded(folder);
    writeFileSync(file, `${JSON.stringify({ version: 1, uid, url, process: ourProcess() })}\n`, { mode: 0o600 });
  } catch {
    // A home that cannot be written to costs a flag, not the server.
  }
  return () => rmSync(file, { force: true });
}

/** Whether stalemate serves this cluster, or has. */
export function isServed(uid: string, folder: string = stateFolder('served')): boolean {
  return existsSync(fileOf(uid, folder));
}

/** A server that was killed has left a note. */
function forgetEnded(folder: string): void {
  for (const name of readdirSync(folder)) {
    const file = join(folder, name);
    try {
      const { process } = JSON.parse(readFileSync(file, 'utf8')) as { readonly process: ProcessIdentity };
      if (!isOurProcess(process)) rmSync(file, { force: true });
    } catch {
      // Half written: another process is writing it.
    }
  }
}

/** A uid comes from a server: it is no path. */
function fileOf(uid: string, folder: string): string {
  return join(folder, `${encodeURIComponent(uid).replaceAll('.', '%2E')}.json`);
}
