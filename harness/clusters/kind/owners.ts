/**
 * Which kind clusters are ours, and whose run each belongs to, written down before a cluster is made.
 *
 * Owns: the folder of each cluster below the user's state folder (`$XDG_STATE_HOME/stalemate/kind`), and telling whether the process that
 * made one still lives. A cluster that no file of ours names is never touched. Start at {@link OwnedClusters}.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { $ } from 'zx';
import { writeWhole } from '../../report/write-files.ts';

export interface Ownership {
  readonly version: 1;
  readonly cluster: string;
  /** The engine that has it. */
  readonly engine: string;
  /** 0: nobody uses it now. */
  readonly pid: number;
  /** When that process began, as the system tells it: pids are used again. */
  readonly began: string;
  readonly keep: boolean;
}

const FILE = 'owner.json';

export class OwnedClusters {
  readonly #root: string;

  constructor(root: string = stateFolder()) {
    this.#root = root;
  }

  /** Where things of a cluster lie: its kubeconfig, its configuration. */
  folder(cluster: string): string {
    return join(this.#root, cluster);
  }

  /** From now on the cluster is this process's. */
  async claim(cluster: string, engine: string, keep: boolean): Promise<void> {
    mkdirSync(this.folder(cluster), { recursive: true, mode: 0o700 });
    const { pid } = process;
    this.#write({ version: 1, cluster, engine, pid, began: await beganAt(pid), keep });
  }

  /** A kept cluster is whose the next run is. */
  release(cluster: string): void {
    const owner = this.ownerOf(cluster);
    if (owner !== undefined) this.#write({ ...owner, pid: 0, began: '' });
  }

  ownerOf(cluster: string): Ownership | undefined {
    const path = join(this.folder(cluster), FILE);
    if (!existsSync(path)) return undefined;
    try {
      const owner = JSON.parse(readFileSync(path, 'utf8')) as Partial<Ownership>;
      return owner.version === 1 && owner.cluster === cluster ? (owner as Ownership) : undefined;
    } catch {
      return undefined;
    }
  }

  async isInUse(cluster: string): Promise<boolean> {
    const owner = this.ownerOf(cluster);
    return owner !== undefined && owner.pid !== 0 && (await beganAt(owner.pid)) === owner.began;
  }

  forget(cluster: string): void {
    rmSync(this.folder(cluster), { recursive: true, force: true });
  }

  #write(owner: Ownership): void {
    writeWhole(join(this.folder(owner.cluster), FILE), `${JSON.stringify(owner, undefined, 2)}\n`);
  }

  /** Clusters whose owners are gone and did not want them kept. */
  async abandoned(): Promise<readonly Ownership[]> {
    if (!existsSync(this.#root)) return [];
    const owners = readdirSync(this.#root)
      .toSorted()
      .flatMap((name) => this.ownerOf(name) ?? []);
    const looks = owners.map(async (owner) => (owner.keep || (await this.isInUse(owner.cluster)) ? [] : [owner]));
    return (await Promise.all(looks)).flat();
  }
}

function stateFolder(): string {
  const state = process.env['XDG_STATE_HOME'] ?? '';
  return join(state === '' ? join(homedir(), '.local', 'state') : state, 'stalemate', 'kind');
}

/** Empty for a process that is not there. */
async function beganAt(pid: number): Promise<string> {
  const { stdout } = await $({
    nothrow: true,
    quiet: true,
    env: { ...process.env, LC_ALL: 'C', TZ: 'UTC' },
  })`ps -o lstart= -p ${pid}`;
  return stdout.trim();
}
