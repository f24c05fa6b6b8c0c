/**
 * Removes what a run has left on an existing cluster: what it recorded, and nothing that it did not create.
 *
 * A namespace is deleted if it has the recorded name and, if the run itself created it, the run's label; a cluster-scoped object if it has
 * the recorded uid; a CRD if no other user has objects of its kind. Start at {@link cleanUp}.
 */
import type { JsonObject, KubeObject } from 'stalemate-apiserver/objects/object';
import type { ApiResponse, Method, Upstream } from 'stalemate-apiserver/wire/http';
import { realDelay, realNow } from '../../determinism/real-time.ts';
import { RemoteServer, type RemoteOptions } from '../../gate/http/remote.ts';
import { remoteUpstream } from '../../gate/http/remote-upstream.ts';
import { OWNER_LABEL, type Footprint, type MadeObject, type Note } from './footprint.ts';
import { ask } from '../real/own-requests.ts';
import { SIGN_OF_MANAGER } from './managed.ts';

/** What was removed and what was left, as one sentence for each object. */
export interface CleanUp {
  readonly removed: readonly string[];
  /** Objects that still exist, and why. */
  readonly left: readonly string[];
}

/** The time limit for deleting a namespace: a cluster empties a namespace in a few seconds, a busy cluster takes longer. */
const GONE_MS = 60_000;
/** After this time, a namespace that no controller has emptied (finalizers remain) is emptied here. */
const TENDED_MS = 5_000;
/** The same time if no namespace controller runs. */
const ALONE_MS = 200;
const POLL_MS = 100;

/** @param dryRun - Only reports what would be removed. */
export async function cleanUp(remote: RemoteOptions, footprint: Footprint, dryRun = false): Promise<CleanUp> {
  const upstream = remoteUpstream(new RemoteServer(remote));
  try {
    const cleaner = new Cleaner(upstream, footprint.run, dryRun);
    await cleaner.clean(footprint.read()?.notes ?? []);
    if (!dryRun && cleaner.left.length === 0) footprint.end();
    return cleaner;
  } finally {
    upstream.close();
  }
}

class Cleaner implements CleanUp {
  readonly removed: string[] = [];
  readonly left: string[] = [];
  readonly #upstream: Upstream;
  readonly #run: string;
  readonly #dryRun: boolean;

  constructor(upstream: Upstream, run: string, dryRun: boolean) {
    this.#upstream = upstream;
    this.#run = run;
    this.#dryRun = dryRun;
  }

  async clean(notes: readonly Note[]): Promise<void> {
    const namespaces = [...new Set(notes.flatMap((note) => ('namespace' in note ? [note.namespace] : [])))];
    const later = new Set(
      notes.flatMap((note) => ('namespace' in note && note.later === true ? [note.namespace] : [])),
    );
    const made = new Map(notes.flatMap((note) => ('object' in note ? [[note.object.uid, note.object] as const] : [])));
    for (const { intent, name } of unansweredIn(notes)) {
      const found = await this.#intent(intent, name, made);
      if (found !== undefined) made.set(found.uid, found);
    }
    const objects = [...made.values()];
    // Deleted before the namespaces: while an APIService has no server or a webhook does not answer, no namespace can be deleted.
    for (const object of objects) if (object.kind !== CRD_KIND) await this.#object(object);
    const looks = namespaces.map(async (name) => ((await this.#namespace(name, later.has(name))) ? [name] : []));
    const own = (await Promise.all(looks)).flat();
    for (const object of objects) if (object.kind === CRD_KIND) await this.#definition(object, own);
  }

  /** Deletes a namespace. Returns false if the namespace, and therefore its content, may belong to another user. */
  async #namespace(name: string, isLater: boolean): Promise<boolean> {
    const path = `/api/v1/namespaces/${name}`;
    const there = await this.#ask('GET', path);
    if (there.code === 404) return true;
    if (there.code !== 200) {
      this.#keep(`namespace ${name}: reading it was answered with ${there.code}`);
      return false;
    }
    const { labels = {} } = (there.body as unknown as KubeObject).metadata;
    if (!isLater && labels[OWNER_LABEL] !== this.#run) {
      this.#keep(
        `namespace ${name}: it does not have the label ${OWNER_LABEL}=${this.#run}; delete it yourself if it is yours`,
      );
      return false;
    }
    const isGoing = this.#dryRun || this.#isGone(`namespace ${name}`, await this.#ask('DELETE', path, DELETE_OPTIONS));
    if (isGoing) this.removed.push(`namespace ${name}`);
    if (this.#dryRun || !isGoing) return isGoing;
    const isTended = (await this.#ask('GET', SIGN_OF_MANAGER)).code === 200;
    const begun = realNow();
    let emptied = false;
    for (;;) {
      const { code, body } = await this.#ask('GET', path);
      if (code === 404) return true;
      if (code === 200 && !emptied && realNow() - begun > (isTended ? TENDED_MS : ALONE_MS)) {
        await this.#empty(name);
        emptied = true;
        if (!isTended)
          await this.#ask('PUT', `${path}/finalize`, { ...(body as KubeObject), spec: { finalizers: [] } });
      }
      if (realNow() - begun > GONE_MS) {
        this.#keep(`namespace ${name}: it is being deleted, and takes long`);
        return true;
      }
      await realDelay(POLL_MS);
    }
  }

  /** Deletes everything in a namespace, removing finalizers. */
  async #empty(namespace: string): Promise<void> {
    for (const place of await this.#kinds()) {
      const path = `${place.root}/namespaces/${namespace}/${place.name}`;
      const { code, body } = await this.#ask('GET', path);
      if (code !== 200) continue;
      const { items = [] } = body as { readonly items?: readonly KubeObject[] };
      for (const { metadata } of items)
        await this.#end(`${path}/${metadata.name ?? ''}`, metadata.uid ?? '', (metadata.finalizers ?? []).length > 0);
    }
  }

  async #object({ apiVersion, resource, name, uid }: MadeObject): Promise<void> {
    const what = `${resource} ${name}`;
    const path = pathOf(apiVersion, resource, name);
    const there = await this.#found(path, what);
    // It is a different object with the same name, created later.
    if (there?.metadata.uid !== uid) return;
    const isKept = (there.metadata.finalizers ?? []).length > 0;
    if (this.#dryRun || this.#isGone(what, await this.#end(path, uid, isKept))) this.removed.push(what);
  }

  /** Deletes a CRD, unless another user has objects of its kind, because they would be deleted with it. */
  async #definition(crd: MadeObject, own: readonly string[]): Promise<void> {
    const there = await this.#found(pathOf(crd.apiVersion, crd.resource, crd.name), `${crd.resource} ${crd.name}`);
    if (there?.metadata.uid !== crd.uid) return;
    const { spec } = there as KubeObject & { readonly spec: Spec };
    // Only an actual list proves that there are no objects of other users, and a list needs a served version.
    const version = spec.versions.find(({ served }) => served)?.name;
    if (version === undefined)
      return this.#keep(
        `definition ${crd.name}: cannot check for objects of other users: none of its versions is served`,
      );
    const { code, body } = await this.#ask('GET', `/apis/${spec.group}/${version}/${spec.names.plural}`);
    const { items } = (body ?? {}) as { readonly items?: readonly KubeObject[] };
    if (code !== 200 || !Array.isArray(items))
      return this.#keep(
        `definition ${crd.name}: cannot check for objects of other users: listing them was answered with ${code}`,
      );
    const others = (items as readonly KubeObject[]).filter((item) => !own.includes(item.metadata.namespace ?? ''));
    const [first] = others;
    if (first !== undefined) {
      const { namespace = '', name = '' } = first.metadata;
      const where = namespace === '' ? name : `${namespace}/${name}`;
      return this.#keep(`definition ${crd.name}: other users have objects of it by now, such as ${where}`);
    }
    await this.#object(crd);
  }

  /**
   * Handles an object that the run was about to create when it was interrupted: if the object has the run's label, it is the run's own,
   * otherwise it may be anyone's.
   */
  async #intent(
    collection: string,
    name: string,
    made: ReadonlyMap<string, MadeObject>,
  ): Promise<MadeObject | undefined> {
    const resource = resourceOf(collection);
    const there = await this.#found(`${collection}/${encodeURIComponent(name)}`, `${resource} ${name}`);
    if (there === undefined || made.has(there.metadata.uid ?? '')) return undefined;
    const { apiVersion, kind, metadata } = there;
    if (metadata.labels?.[OWNER_LABEL] === this.#run)
      return { apiVersion, kind, resource, name, uid: metadata.uid ?? '' };
    this.#keep(
      `${resource} ${name}: made by the run or by another client, which is unknown; delete it yourself if it is yours`,
    );
    return undefined;
  }

  async #end(path: string, uid: string, isKept: boolean): Promise<ApiResponse> {
    if (isKept) await this.#ask('PATCH', path, { metadata: { uid, finalizers: null } });
    return this.#ask('DELETE', path, { ...DELETE_OPTIONS, preconditions: { uid } });
  }

  /** Returns the object. Undefined if it is gone, which only a 404 proves, or if the read failed, which is reported. */
  async #found(path: string, what: string): Promise<KubeObject | undefined> {
    const { code, body } = await this.#ask('GET', path);
    if (code === 200) return body as unknown as KubeObject;
    if (code !== 404) this.#keep(`${what}: reading it was answered with ${code}`);
    return undefined;
  }

  /** Reports whether the deleted object is gone or terminating, or has since been replaced by a different object with its name (409). */
  #isGone(what: string, { code }: ApiResponse): boolean {
    if (code < 400 || code === 404 || code === 409) return true;
    this.#keep(`${what}: deleting it was answered with ${code}`);
    return false;
  }

  /** Returns the namespaced kinds that can be deleted, by discovery. */
  async #kinds(): Promise<readonly { readonly root: string; readonly name: string }[]> {
    const { body } = await this.#ask('GET', '/apis');
    const { groups = [] } = body as unknown as { readonly groups?: readonly Group[] };
    const roots = ['/api/v1', ...groups.map(({ preferredVersion }) => `/apis/${preferredVersion.groupVersion}`)];
    const found: { readonly root: string; readonly name: string }[] = [];
    for (const root of roots) {
      const list = await this.#ask('GET', root);
      const { resources = [] } = list.body as unknown as { readonly resources?: readonly Listed[] };
      for (const { name, namespaced, verbs } of resources)
        if (namespaced && verbs.includes('delete') && verbs.includes('list')) found.push({ root, name });
    }
    return found;
  }

  #keep(why: string): void {
    if (!this.left.includes(why)) this.left.push(why);
  }

  #ask(method: Method, path: string, body?: JsonObject): Promise<ApiResponse> {
    return ask(this.#upstream, method, path, body);
  }
}

type Intent = Extract<Note, { readonly intent: string }>;

/** Returns the intended creations without a recorded result. Objects with a server-generated name cannot be found. */
function unansweredIn(notes: readonly Note[]): readonly Intent[] {
  const open = new Map<string, Intent>();
  for (const note of notes) {
    if ('intent' in note && note.name !== '') open.set(`${resourceOf(note.intent)} ${note.name}`, note);
    if ('unmade' in note) open.delete(`${resourceOf(note.unmade)} ${note.name}`);
    if ('object' in note) open.delete(`${note.object.resource} ${note.object.name}`);
  }
  return [...open.values()];
}

const CRD_KIND = 'CustomResourceDefinition';
const DELETE_OPTIONS = {
  apiVersion: 'v1',
  kind: 'DeleteOptions',
  gracePeriodSeconds: 0,
  propagationPolicy: 'Background',
} as const;

interface Spec {
  readonly group: string;
  readonly names: { readonly plural: string };
  readonly versions: readonly { readonly name: string; readonly served: boolean }[];
}

interface Group {
  readonly preferredVersion: { readonly groupVersion: string };
}

interface Listed {
  readonly name: string;
  readonly namespaced: boolean;
  readonly verbs: readonly string[];
}

function pathOf(apiVersion: string, resource: string, name: string): string {
  const root = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
  return `${root}/${resource.split('.')[0] ?? ''}/${encodeURIComponent(name)}`;
}

/** Returns `clusterroles.rbac.authorization.k8s.io` for `/apis/rbac.authorization.k8s.io/v1/clusterroles`. */
function resourceOf(collection: string): string {
  const [api = '', group = '', ...rest] = collection.split('/').filter((part) => part !== '');
  const resource = rest.at(-1) ?? '';
  return api === 'api' ? resource : `${resource}.${group}`;
}
