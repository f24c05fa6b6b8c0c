/**
 * Resets a server by writing to its etcd: key by key, etcd gets the content that it had when the campaign began.
 *
 * For a server whose etcd the harness also runs. Controllers may still react to deleted objects, so the reset is complete only once the
 * state has stayed unchanged for a while. Owns: which keys have changed, and waiting until the server shows the state. Start at {@link
 * EtcdReset}.
 */
import { builtInResources } from 'stalemate-apiserver';
import { groupResource, type KubeObject } from 'stalemate-apiserver/objects/object';
import { realDelay } from '../../determinism/real-time.ts';
import { invariant } from '../../model/errors.ts';
import { encoded, type Etcd, type EtcdWrites, type Stored } from './etcd.ts';
import { ATTEMPTS_MAX, unclean, type Reset, type ServerView } from './reset.ts';
import { isServersKey, storageKey } from './storage-key.ts';

const BUILT_IN_RESOURCES = builtInResources();

export class EtcdReset implements Reset {
  readonly #etcd: Etcd;
  readonly #view: ServerView;
  /** For each key of etcd, a revision at which it has its initial content. */
  readonly #clean = new Map<string, number>();
  #stored: ReadonlyMap<string, Stored> = new Map();
  /** Uids of the objects that the server must show. */
  #uids: ReadonlySet<string> = new Set();
  readonly #quietMs: number;

  /** @param quietMs - How long, in ms, nothing may change before the reset counts as complete. */
  constructor(etcd: Etcd, view: ServerView, quietMs = 0) {
    this.#etcd = etcd;
    this.#view = view;
    this.#quietMs = quietMs;
  }

  async begin(): Promise<void> {
    await this.#untilQuiet();
    this.#stored = await this.#etcd.all();
    for (const [key, { revision }] of this.#stored) this.#clean.set(key, revision);
    if (!(await this.#view.caughtUp())) throw unclean('it does not list what it stores');
    this.#uids = new Set(this.#view.live.keys());
  }

  async restore(): Promise<number> {
    const written = new Map<string, number>();
    let wasClean = false;
    for (let attempt = 1; ;) {
      const { byKey, revision } = await this.#etcd.revisions();
      const { put, remove } = this.#restoringWrites(byKey);
      if (put.size > 0 || remove.length > 0) {
        if (attempt++ > ATTEMPTS_MAX) throw unclean(`${[...put.keys(), ...remove].slice(0, 3).join(', ')} comes back`);
        for (const [key, at] of await this.#etcd.write({ put, remove })) {
          this.#clean.set(key, at);
          written.set(key, at);
        }
        wasClean = false;
      } else if (this.#shows(written) && (wasClean || this.#quietMs === 0)) return revision;
      else if (this.#quietMs > 0) {
        wasClean = true;
        await realDelay(this.#quietMs);
      }
      // With other components the observed state may already differ again, so do not wait for it: the loop checks it.
      if (this.#quietMs === 0) await this.#view.until(() => this.#shows(written), 'show the reset state');
    }
  }

  async seed(objects: readonly KubeObject[]): Promise<void> {
    const put = new Map(objects.map((object) => [this.#key(object), encoded(JSON.stringify(stripped(object)))]));
    const written = await this.#etcd.write({ put, remove: [] });
    await this.#view.until(() => this.#areSeen(written), 'show what was put there');
  }

  async #untilQuiet(): Promise<void> {
    let before = '';
    for (let attempt = 1; this.#quietMs > 0; attempt++) {
      const { byKey } = await this.#etcd.revisions();
      const now = JSON.stringify([...byKey].filter(([key]) => !isServersKey(key)));
      if (now === before) return;
      if (attempt > ATTEMPTS_MAX) throw unclean('the cluster controllers do not come to rest');
      before = now;
      await realDelay(this.#quietMs);
    }
  }

  /** Returns the etcd writes that restore the state. */
  #restoringWrites(now: ReadonlyMap<string, number>): EtcdWrites {
    const remove = [...now.keys()].filter((key) => !this.#stored.has(key) && !isServersKey(key));
    const put = new Map<string, string>();
    for (const [key, { value }] of this.#stored)
      if (!isServersKey(key) && now.get(key) !== this.#clean.get(key)) put.set(key, value);
    return { put, remove };
  }

  #shows(written: ReadonlyMap<string, number>): boolean {
    const { live } = this.#view;
    const uids = this.#uids;
    return live.size === uids.size && [...uids].every((uid) => live.has(uid)) && this.#areSeen(written);
  }

  /** Reports whether the values written to etcd have been published; values that are not objects never are. */
  #areSeen(written: ReadonlyMap<string, number>): boolean {
    const revisions = new Set(written.values());
    const objects = [...written.keys()].filter((key) => !key.startsWith('/registry/ranges/')).length;
    return [...this.#view.live.values()].filter(({ revision }) => revisions.has(revision)).length >= objects;
  }

  #key(object: KubeObject): string {
    const kind = this.#view.kindFor(object.apiVersion, object.kind);
    invariant(kind !== undefined, `the kind ${object.apiVersion} ${object.kind} of what is seeded is known`);
    return storageKey(kind, BUILT_IN_RESOURCES.has(groupResource(kind)), object);
  }
}

function stripped({ metadata, ...rest }: KubeObject): object {
  const { resourceVersion: _, ...kept } = metadata;
  return { ...rest, metadata: kept };
}
