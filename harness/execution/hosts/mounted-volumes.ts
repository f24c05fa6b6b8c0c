/**
 * ConfigMaps and Secrets that the target mounts, in lives that are processes: a kubelet brings what changes in the cluster into the
 * files, and so does this.
 *
 * Owns: which files change, and when. Does not own: how a folder is replaced (`actors/process/mounted-files.ts`). Start at
 * {@link MountedVolumes}.
 */
import type { KubeObject } from 'stalemate-apiserver/objects/object';
import type { EnvironmentController } from '../../actors/environment/index.ts';
import type { MountedFolder } from '../../actors/process/mounted-files.ts';
import type { ObservedChange } from '../../gate/recorder.ts';
import type { Pod } from '../project/pod.ts';

/** A kubelet takes up to a minute or so; nothing depends on how long it is. */
const DELAY_MS = 1_000;
const KINDS: ReadonlyMap<string, string> = new Map([
  ['configmaps', 'ConfigMap'],
  ['secrets', 'Secret'],
]);

/** A life with mounted folders. */
export interface Mounting {
  remount?(folders: readonly MountedFolder[]): void;
}

export class MountedVolumes {
  readonly #pod: Pick<Pod, 'folders' | 'sources' | 'workload'>;
  readonly #told: () => void;
  readonly #lives = new Set<Mounting>();
  #sources: readonly KubeObject[];

  /** @param told - Called once files of a life have changed. */
  constructor(pod: Pick<Pod, 'folders' | 'sources' | 'workload'>, told: () => void) {
    this.#pod = pod;
    this.#told = told;
    this.#sources = pod.sources;
  }

  /** The folders of a life that begins now. */
  get folders(): readonly MountedFolder[] {
    return this.#pod.folders(this.#sources);
  }

  /** A life begins; the returned function says that it is over. */
  starts(life: Mounting): () => void {
    this.#lives.add(life);
    return () => this.#lives.delete(life);
  }

  /** A run begins, in which changes are seen `after` a while. */
  begins(after: (delayMs: number, then: () => void) => void): EnvironmentController {
    this.#sources = this.#pod.sources;
    return { actor: 'kubelet', onChange: (change) => this.#changed(change, after) };
  }

  #changed({ type, resource, namespace, name, object }: ObservedChange, after: (ms: number, then: () => void) => void) {
    const kind = KINDS.get(resource);
    // The files of an object that is gone stay.
    if (kind === undefined || type === 'DELETED' || namespace !== this.#pod.workload?.namespace) return;
    const before = this.folders;
    const others = this.#sources.filter(({ kind: other, metadata }) => other !== kind || metadata.name !== name);
    this.#sources = [...others, { ...object, kind }];
    const changed = this.folders.filter((folder, at) => !isSame(folder, before[at]));
    if (changed.length === 0) return;
    after(DELAY_MS, () => {
      const current = this.folders.filter(({ path }) => changed.some((folder) => folder.path === path));
      for (const life of this.#lives) life.remount?.(current);
      this.#told();
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
