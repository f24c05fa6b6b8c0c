/**
 * Which kind clusters are ours, and whose run each belongs to, written down before a cluster is made.
 *
 * Owns: the folder of each cluster below the user's state folder (`$XDG_STATE_HOME/stalemate/kind`), and telling whether the process that
 * made one still lives. A cluster that no file of ours names is never touched. Start at {@link OwnedClusters}.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { isOurProcess, ourProcess, type ProcessIdentity } from 'stalemate-apiserver/processes/process-identity';
import { realDelay, realNow } from '../../determinism/real-time.ts';
import { HarnessError } from '../../model/errors.ts';
import { lockFolder } from '../../report/folder-lock.ts';
import { writeWhole } from '../../report/write-files.ts';
import { stateFolder } from '../../report/state-folder.ts';

export interface Ownership {
  readonly version: 2;
  readonly cluster: string;
  /** The engine that has it. */
  readonly engine: string;
  /** Null: it is not in use. */
  readonly process: ProcessIdentity | null;
  readonly keep: boolean;
  /** It has come up: what is kept is worth keeping. */
  readonly isMade: boolean;
}

const FILE = 'owner.json';
/** Choosing a cluster takes as long as kind needs to list those that are there. */
const CHOOSING_MAX_MS = 60_000;
const AGAIN_MS = 100;

export class OwnedClusters {
  readonly #root: string;

  constructor(root: string = stateFolder('kind')) {
    this.#root = root;
  }

  /** Where things of a cluster lie: its kubeconfig, its configuration. */
  folder(cluster: string): string {
    return join(this.#root, cluster);
  }

  /**
   * No other run chooses a cluster meanwhile: between seeing that one is free and claiming it another run would do the same.
   *
   * @throws {CLUSTER_UNAVAILABLE} when another run takes too long over it.
   */
  async whileChoosing<T>(choose: () => Promise<T>): Promise<T> {
    mkdirSync(this.#root, { recursive: true, mode: 0o700 });
    const release = await this.#chosen();
    try {
      return await choose();
    } finally {
      release();
    }
  }

  async #chosen(): Promise<() => void> {
    for (const until = realNow() + CHOOSING_MAX_MS; ; await realDelay(AGAIN_MS)) {
      try {
        return lockFolder(this.#root);
      } catch (error) {
        if (!(error instanceof HarnessError) || error.code !== 'USAGE') throw error;
        if (realNow() < until) continue;
        const what = `another run has been choosing a kept kind cluster for ${CHOOSING_MAX_MS / 1000} s (process in "${join(this.#root, 'in-use')}")`;
        throw new HarnessError('CLUSTER_UNAVAILABLE', `${what}; wait for it, or leave --keep-cluster out`);
      }
    }
  }

  /** From now on the cluster is this process's. */
  claim(cluster: string, engine: string, keep: boolean, isMade = false): void {
    mkdirSync(this.folder(cluster), { recursive: true, mode: 0o700 });
    this.#write({ version: 2, cluster, engine, process: ourProcess(), keep, isMade });
  }

  /** It has come up. */
  made(cluster: string): void {
    const owner = this.ownerOf(cluster);
    if (owner !== undefined) this.#write({ ...owner, isMade: true });
  }

  /** A kept cluster is whose the next run is. */
  release(cluster: string): void {
    const owner = this.ownerOf(cluster);
    if (owner !== undefined) this.#write({ ...owner, process: null });
  }

  ownerOf(cluster: string): Ownership | undefined {
    const path = join(this.folder(cluster), FILE);
    if (!existsSync(path)) return undefined;
    try {
      const owner = upgraded(JSON.parse(readFileSync(path, 'utf8')) as Ownership | OwnershipV1);
      return owner.version === 2 && owner.cluster === cluster ? owner : undefined;
    } catch {
      return undefined;
    }
  }

  /** Whose it is right now, or may be: a process in another container cannot be checked. */
  userOf(cluster: string): ProcessIdentity | undefined {
    const user = this.ownerOf(cluster)?.process ?? undefined;
    return user !== undefined && isOurProcess(user) ? user : undefined;
  }

  forget(cluster: string): void {
    rmSync(this.folder(cluster), { recursive: true, force: true });
  }

  #write(owner: Ownership): void {
    writeWhole(join(this.folder(owner.cluster), FILE), `${JSON.stringify(owner, undefined, 2)}\n`);
  }

  /** Clusters whose owners are gone and did not want them kept, or were gone before there was anything to keep. */
  abandoned(): readonly Ownership[] {
    if (!existsSync(this.#root)) return [];
    return readdirSync(this.#root)
      .toSorted()
      .flatMap((name) => this.ownerOf(name) ?? [])
      .filter((owner) => !(owner.keep && owner.isMade) && this.userOf(owner.cluster) === undefined);
  }
}

interface OwnershipV1 extends Omit<Ownership, 'version' | 'process' | 'isMade'> {
  readonly version: 1;
  readonly pid: number;
}

/** The first version did not say where its process runs: it may, somewhere. */
function upgraded(owner: Ownership | OwnershipV1): Ownership {
  if (owner.version !== 1) return owner;
  const { pid, cluster, engine, keep } = owner;
  const process = pid === 0 ? null : { host: '', pid, started: '' };
  return { version: 2, cluster, engine, process, keep, isMade: pid === 0 };
}
