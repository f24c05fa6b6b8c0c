/**
 * Records which kind clusters are ours and which run uses each, before a cluster is created.
 *
 * Owns: the folder of each cluster below the user's state folder (`$XDG_STATE_HOME/stalemate/kind`), and checking whether the process that
 * created a cluster is alive. A cluster without a record is never touched. Start at {@link OwnedClusters}.
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
  /** The engine that runs it. */
  readonly engine: string;
  /** Null if it is not in use. */
  readonly process: ProcessIdentity | null;
  readonly keep: boolean;
  /** True once creation has completed; an incomplete cluster is not worth keeping. */
  readonly isMade: boolean;
}

const FILE = 'owner.json';
/** The time limit for choosing a cluster, which takes as long as kind needs to list the existing ones. */
const CHOOSING_MAX_MS = 60_000;
const AGAIN_MS = 100;

export class OwnedClusters {
  readonly #root: string;

  constructor(root: string = stateFolder('kind')) {
    this.#root = root;
  }

  /** Returns the folder of a cluster's files: its kubeconfig, its configuration. */
  folder(cluster: string): string {
    return join(this.#root, cluster);
  }

  /**
   * Holds a lock while a cluster is chosen: otherwise another run could claim the same free cluster.
   *
   * @throws {CLUSTER_UNAVAILABLE} if another run holds the lock for too long.
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

  /** Records this process as the owner of the cluster. */
  claim(cluster: string, engine: string, keep: boolean, isMade = false): void {
    mkdirSync(this.folder(cluster), { recursive: true, mode: 0o700 });
    this.#write({ version: 2, cluster, engine, process: ourProcess(), keep, isMade });
  }

  /** Records that creation completed. */
  made(cluster: string): void {
    const owner = this.ownerOf(cluster);
    if (owner !== undefined) this.#write({ ...owner, isMade: true });
  }

  /** Makes a kept cluster available to the next run. */
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

  /** Returns the process that uses the cluster, or may be using it: processes in other containers cannot be checked. */
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

  /** Returns the clusters of processes that have ended, if they were not to be kept or were never completed. */
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

/** Upgrades a record. The first version did not record where the process runs, so the process is treated as possibly alive. */
function upgraded(owner: Ownership | OwnershipV1): Ownership {
  if (owner.version !== 1) return owner;
  const { pid, cluster, engine, keep } = owner;
  const process = pid === 0 ? null : { host: '', pid, started: '' };
  return { version: 2, cluster, engine, process, keep, isMade: pid === 0 };
}
