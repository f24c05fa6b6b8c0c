/**
 * Records what a run leaves on an existing cluster, each object before it is created, because a run that was killed cannot remove its
 * objects itself.
 *
 * One file for each run in the user's state folder (`$XDG_STATE_HOME/stalemate/clusters`, else `~/.local/state/…`), one line of JSON per
 * entry; after an incomplete line, nothing was created. The file contains no credentials: the kubeconfig is named, not copied.
 * Owns: these files. Does not own: removal (`clean-up.ts`). Start at {@link Footprint}.
 */
import { appendFileSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { isOurProcess, ourProcess, type ProcessIdentity } from 'stalemate-apiserver/processes/process-identity';
import { stateFolder } from '../../report/state-folder.ts';

/** The label of everything that a run creates for itself; its value is the name of the run. */
export const OWNER_LABEL = 'stalemate.dev/run';

/** The first line of the file: the run and its cluster. */
export interface FootprintHead {
  readonly run: string;
  readonly url: string;
  readonly context: string;
  /** An absolute path. */
  readonly kubeconfig: string;
  readonly allowed: readonly string[];
  /** The uid of the cluster's namespace kube-system; absent in older files, and if it is unknown. */
  readonly uid?: string;
  readonly process: ProcessIdentity;
}

export interface MadeObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly resource: string;
  readonly name: string;
  readonly uid: string;
}

export type Note =
  /** `later`: an actor of the run will create it, under a name that no other client would use. */
  | { readonly namespace: string; readonly later?: true }
  /** A cluster-scoped object. */
  | { readonly object: MadeObject }
  /** A cluster-scoped object about to be created, with the path of its collection. */
  | { readonly intent: string; readonly name: string }
  /** The server rejected the intended creation. */
  | { readonly unmade: string; readonly name: string };

export class Footprint {
  readonly run: string;
  readonly file: string;

  constructor(run: string, folder: string = stateFolder('clusters')) {
    this.run = run;
    this.file = join(folder, `${run}.jsonl`);
  }

  /** Starts the file of a run. */
  begin(head: Omit<FootprintHead, 'run' | 'process'>): void {
    mkdirSync(join(this.file, '..'), { recursive: true, mode: 0o700 });
    this.#append({ version: 1, ...head, run: this.run, process: ourProcess() });
  }

  note(note: Note): void {
    this.#append(note);
  }

  /** Removes the file; call it once everything has been deleted. */
  end(): void {
    rmSync(this.file, { force: true });
  }

  read(): { readonly head: FootprintHead; readonly notes: readonly Note[] } | undefined {
    const lines = linesOf(this.file);
    const [head, ...notes] = lines;
    if (head === undefined || !('run' in head)) return undefined;
    return { head: head as unknown as FootprintHead, notes: notes as unknown as readonly Note[] };
  }

  #append(line: object): void {
    appendFileSync(this.file, `${JSON.stringify(line)}\n`, { mode: 0o600, flush: true });
  }
}

/** Returns the runs that have left something, and whether their process is still alive. */
export function leftFootprints(folder: string = stateFolder('clusters')): readonly {
  readonly footprint: Footprint;
  readonly head: FootprintHead;
  readonly isAlive: boolean;
}[] {
  let files: readonly string[];
  try {
    files = readdirSync(folder);
  } catch {
    return [];
  }
  return files
    .filter((file) => file.endsWith('.jsonl'))
    .toSorted()
    .flatMap((file) => {
      const footprint = new Footprint(file.slice(0, -'.jsonl'.length), folder);
      const head = footprint.read()?.head;
      return head === undefined ? [] : [{ footprint, head, isAlive: isOurProcess(head.process) }];
    });
}

function linesOf(file: string): readonly object[] {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch {
    return [];
  }
  return text.split('\n').flatMap((line) => {
    try {
      const value: unknown = JSON.parse(line);
      return typeof value === 'object' && value !== null ? [value] : [];
    } catch {
      return [];
    }
  });
}
