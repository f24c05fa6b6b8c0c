/**
 * Updates the mounted ConfigMaps and Secrets of a process target when these objects change in the cluster, as a kubelet does.
 *
 * Owns: which files change, and when. Does not own: how a folder is replaced (`actors/process/mounted-files.ts`). Start at {@link
 * MountedVolumes}.
 */
import type { KubeObject } from 'stalemate-apiserver/objects/object';
import type { EnvironmentController } from '../../actors/environment/index.ts';
import type { MountedFolder } from '../../actors/process/mounted-files.ts';
import type { ObservedChange } from '../../gate/recorder.ts';
import type { Pod } from '../project/pod.ts';

/** The delay of an update, in ms. A kubelet takes about a minute, but nothing depends on the duration. */
const DELAY_MS = 1_000;
const KINDS: ReadonlyMap<string, string> = new Map([
  ['configmaps', 'ConfigMap'],
  ['secrets', 'Secret'],
]);

/** An incarnation with mounted folders. */
export interface Mounting {
  remount?(folders: readonly MountedFolder[]): void;
}

export class MountedVolumes {
  readonly #pod: Pick<Pod, 'folders' | 'sources' | 'workload'>;
  readonly #onChanged: () => void;
  readonly #lives = new Set<Mounting>();
  #sources: readonly KubeObject[];

  /** @param onChanged - Called after files of an incarnation have changed. */
  constructor(pod: Pick<Pod, 'folders' | 'sources' | 'workload'>, onChanged: () => void) {
    this.#pod = pod;
    this.#onChanged = onChanged;
    this.#sources = pod.sources;
  }

  /** The folders to mount for an incarnation that starts now. */
  get folders(): readonly MountedFolder[] {
    return this.#pod.folders(this.#sources);
  }

  /** Registers an incarnation; the returned function removes it. */
  starts(life: Mounting): () => void {
    this.#lives.add(life);
    return () => this.#lives.delete(life);
  }

  /** Begins a run. Returns the controller that updates files; `after` delays its updates. */
  begins(after: (delayMs: number, then: () => void) => void): EnvironmentController {
    this.#sources = this.#pod.sources;
    return { actor: 'kubelet', onChange: (change) => this.#changed(change, after) };
  }

  #changed({ type, resource, namespace, name, object }: ObservedChange, after: (ms: number, then: () => void) => void) {
    const kind = KINDS.get(resource);
    // A kubelet keeps the files of a deleted object.
    if (kind === undefined || type === 'DELETED' || namespace !== this.#pod.workload?.namespace) return;
    const before = this.folders;
    const unchanged = this.#sources.filter(({ kind: other, metadata }) => other !== kind || metadata.name !== name);
    this.#sources = [...unchanged, { ...object, kind }];
    const changed = this.folders.filter((folder, at) => !isSame(folder, before[at]));
    if (changed.length === 0) return;
    after(DELAY_MS, () => {
      const current = this.folders.filter(({ path }) => changed.some((folder) => folder.path === path));
      for (const life of this.#lives) life.remount?.(current);
      this.#onChanged();
    });
  }
}

function isSame({ entries }: MountedFolder, other: MountedFolder | undefined): boolean {
  const names = Object.keys(entries);
  return (
    other !== undefined &&
    names.length === Object.keys(other.entries).length &&
    names.every((name) => Buffer.compare(entries[name] ?? EMPTY, other.entries[name] ?? EMPTY) === 0)
  );
}

const EMPTY = Buffer.alloc(0);
