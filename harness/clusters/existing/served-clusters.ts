/**
 * The clusters that stalemate itself serves, recorded by the uid of their namespace kube-system: they need not be allowed.
 *
 * There is one file for each cluster in the user's state folder (`$XDG_STATE_HOME/stalemate/served`, else `~/.local/state/…`), as long as
 * the cluster is served. Owns: these files. Start at {@link noteServed}.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isOurProcess, ourProcess, type ProcessIdentity } from 'stalemate-apiserver/processes/process-identity';
import { stateFolder } from '../../report/state-folder.ts';

/** Records a served cluster. Returns a function that removes the record. */
export function noteServed(uid: string, url: string, folder: string = stateFolder('served')): () => void {
  const file = fileOf(uid, folder);
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    forgetEnded(folder);
    writeFileSync(file, `${JSON.stringify({ version: 1, uid, url, process: ourProcess() })}\n`, { mode: 0o600 });
  } catch {
    // The server starts even if the record cannot be written. The user then has to allow the cluster with a flag.
  }
  return () => rmSync(file, { force: true });
}

/** Reports whether stalemate serves, or has served, this cluster. */
export function isServed(uid: string, folder: string = stateFolder('served')): boolean {
  return existsSync(fileOf(uid, folder));
}

/** Removes records of servers that were killed. */
function forgetEnded(folder: string): void {
  for (const name of readdirSync(folder)) {
    const file = join(folder, name);
    try {
      const { process } = JSON.parse(readFileSync(file, 'utf8')) as { readonly process: ProcessIdentity };
      if (!isOurProcess(process)) rmSync(file, { force: true });
    } catch {
      // Incomplete: another process is writing it.
    }
  }
}

/** Returns the file for a uid, which is encoded: it comes from a server, so it must not be used as a path. */
function fileOf(uid: string, folder: string): string {
  return join(folder, `${encodeURIComponent(uid).replaceAll('.', '%2E')}.json`);
}
