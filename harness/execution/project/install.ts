/**
 * Creates a project's objects on a server, as its author would with kubectl.
 *
 * Owns: the order, skipping kinds that are not served, and the error for a rejected object. Does not own: the CRDs, which are created
 * earlier; creation on a real server (`clusters/real/shipped.ts`). Start at {@link creationsOf}.
 */
import type { ApiServer } from 'stalemate-apiserver';
import { mapOf, mapsOf, textOf } from 'stalemate-apiserver/objects/json';
import type { KubeObject } from 'stalemate-apiserver/objects/object';
import type { ApiRequest, ApiResponse, Upstream } from 'stalemate-apiserver/wire/http';
import { collectionPath } from 'stalemate-apiserver/wire/path';
import { OwnerUids } from '../../clusters/owner-uids.ts';
import type { Creation } from '../../clusters/real/shipped.ts';
import { HarnessError } from '../../model/errors.ts';

/**
 * The kinds to create first, because others depend on them. Admission policies and webhooks ({@link LAST}) affect all later creations, so
 * they come last.
 */
const ORDER: readonly string[] = ['Namespace', 'ServiceAccount', 'ConfigMap', 'Secret'];
const LAST = /^(?:Validating|Mutating)(?:WebhookConfiguration|AdmissionPolicy(?:Binding)?)$/;

/**
 * Returns the creations for a project's objects; namespaced objects without a namespace go to `namespace`. Kinds that `kindFor` does not
 * know are skipped.
 */
export function creationsOf(
  objects: readonly KubeObject[],
  namespace: string,
  kindFor: ApiServer['kindFor'],
): readonly Creation[] {
  const filled = objects.map((object) => aggregated(object, objects));
  return filled
    .toSorted((a, b) => rank(a) - rank(b))
    .flatMap((object): readonly Creation[] => {
      const kind = kindFor(object.apiVersion, object.kind);
      if (kind === undefined) return [];
      const { status, ...stored } = object;
      const home = kind.namespaced ? (object.metadata.namespace ?? namespace) : '';
      const body = {
        ...stored,
        metadata: { ...object.metadata, ...(home === '' ? {} : { namespace: home }) },
        // Only nodes are created with their status.
        ...(object.kind === 'Node' && status !== undefined ? { status } : {}),
      };
      const name = `${home === '' ? '' : `${home}/`}${object.metadata.name ?? ''}`;
      const itself = {
        path: collectionPath(kind, home),
        object: body,
        what: `${object.kind} ${name} of the manifests`,
      };
      return home === '' ? [itself] : [namespaceNamed(home), itself];
    });
}

/**
 * Creates the objects. Existing ones are left unchanged.
 *
 * @throws {MANIFEST_INVALID} if the server refuses an object.
 */
export function installProject(server: ApiServer, objects: readonly KubeObject[], namespace: string): void {
  const kindFor: ApiServer['kindFor'] = (apiVersion, kind) => server.kindFor(apiVersion, kind);
  const uids = new OwnerUids();
  for (const { path, object, what } of creationsOf(objects, namespace, kindFor)) {
    const { code, body } = createAtOnce(server, path, uids.completed(object));
    uids.learn(object, body);
    if (code < 300 || (code === 409 && reasonOf(body) === 'AlreadyExists')) continue;
    throw new HarnessError(
      'MANIFEST_INVALID',
      `the API server refused ${what} with ${code}: ${messageOf(body)}; expected an object that it accepts`,
    );
  }
}

/**
 * Returns the kinds of the objects that are not served, because no CRD declares them and no server knows them: monitors and routes, for
 * example.
 */
export function unserved(objects: readonly KubeObject[], served: ReadonlySet<string>): readonly string[] {
  const kinds = new Set<string>();
  for (const { apiVersion, kind } of objects)
    if (!served.has(`${apiVersion}/${kind}`)) kinds.add(`${kind} (${apiVersion})`);
  return [...kinds].sort();
}

/** Fills in an aggregated role with the rules of matching roles in the manifests; in a cluster, a controller does that. */
function aggregated(object: KubeObject, objects: readonly KubeObject[]): KubeObject {
  if (object.kind !== 'ClusterRole' || object['aggregationRule'] === undefined) return object;
  const selectors = mapsOf(mapOf(object['aggregationRule'])['clusterRoleSelectors']);
  const chosen = objects.filter(
    ({ kind, metadata }) =>
      kind === 'ClusterRole' &&
      selectors.some((selector) =>
        Object.entries(mapOf(selector['matchLabels'])).every(([key, value]) => metadata.labels?.[key] === value),
      ),
  );
  return { ...object, rules: chosen.flatMap((role) => mapsOf(role['rules'])) };
}

function rank({ kind }: KubeObject): number {
  if (LAST.test(kind)) return ORDER.length + 1;
  const at = ORDER.indexOf(kind);
  return at < 0 ? ORDER.length : at;
}

function namespaceNamed(name: string): Creation {
  const object: KubeObject = { apiVersion: 'v1', kind: 'Namespace', metadata: { name } };
  return { path: '/api/v1/namespaces', object, what: `Namespace ${name} of the manifests` };
}

const NO_ANSWER: ApiResponse = { code: 500, body: 'no answer' };

/** Sends a create that the server answers synchronously, and returns the answer. */
export function createAtOnce(
  upstream: Upstream,
  path: string,
  body: KubeObject,
  query: ApiRequest['query'] = {},
): ApiResponse {
  let answer = NO_ANSWER;
  upstream.send(
    {
      method: 'POST',
      path,
      query,
      headers: { 'content-type': 'application/json', 'user-agent': 'kubectl' },
      body,
    },
    { answer: (given) => (answer = given), open: () => {}, event: () => {}, end: () => {} },
  );
  return answer;
}

function reasonOf(body: ApiResponse['body']): string {
  return typeof body === 'string' ? '' : textOf(mapOf(body)['reason']);
}

function messageOf(body: ApiResponse['body']): string {
  return typeof body === 'string' ? body : textOf(mapOf(body)['message']);
}
