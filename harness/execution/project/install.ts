/**
 * Puts a project's objects on a server, as its author would with kubectl.
 *
 * Owns: the order, what is passed over because nothing serves it, and what is said of a refusal. Does not own: the CRDs, which are
 * there before. Start at {@link installProject}.
 */
import type { ApiServer } from '../../apiserver/server.ts';
import { HarnessError } from '../../model/errors.ts';
import { mapOf, mapsOf, textOf } from '../../model/json.ts';
import type { KubeObject } from '../../model/object.ts';
import type { ApiRequest, ApiResponse, Upstream } from '../../wire/http.ts';
import { collectionPath } from '../../wire/path.ts';

/** What others need is there first; what has a say in all that follows comes last. */
const ORDER: readonly string[] = ['Namespace', 'ServiceAccount', 'ConfigMap', 'Secret'];
const LAST = /^(?:Validating|Mutating)(?:WebhookConfiguration|AdmissionPolicy(?:Binding)?)$/;

/**
 * Creates the objects; those without a namespace that need one in `namespace`. What is there already stays as it is.
 *
 * @throws {MANIFEST_INVALID} when the server refuses one.
 */
export function installProject(server: ApiServer, objects: readonly KubeObject[], namespace: string): void {
  const filled = objects.map((object) => aggregated(object, objects));
  for (const object of filled.toSorted((a, b) => rank(a) - rank(b))) {
    const kind = server.kindFor(object.apiVersion, object.kind);
    if (kind === undefined) continue;
    const { status: _, ...stored } = object;
    const home = kind.namespaced ? (object.metadata.namespace ?? namespace) : '';
    if (home !== '') createAtOnce(server, '/api/v1/namespaces', namespaceNamed(home));
    const body = { ...stored, metadata: { ...object.metadata, ...(home === '' ? {} : { namespace: home }) } };
    const { code, body: answer } = createAtOnce(server, collectionPath(kind, home), body);
    if (code < 300 || (code === 409 && reasonOf(answer) === 'AlreadyExists')) continue;
    const name = `${object.kind} ${home === '' ? '' : `${home}/`}${object.metadata.name ?? ''}`;
    throw new HarnessError(
      'MANIFEST_INVALID',
      `the API server refused ${name} of the manifests with ${code}: ${messageOf(answer)}; expected an object that it accepts`,
    );
  }
}

/** Kinds that no CRD declares and no server knows: monitors, certificates, routes. */
export function unserved(objects: readonly KubeObject[], served: ReadonlySet<string>): readonly string[] {
  const kinds = new Set<string>();
  for (const { apiVersion, kind } of objects)
    if (!served.has(`${apiVersion}/${kind}`)) kinds.add(`${kind} (${apiVersion})`);
  return [...kinds].sort();
}

/** A role that gathers the rules of others, with those of the manifests: in a cluster a controller does that. */
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

function namespaceNamed(name: string): KubeObject {
  return { apiVersion: 'v1', kind: 'Namespace', metadata: { name } };
}

const NO_ANSWER: ApiResponse = { code: 500, body: 'no answer' };

/** The answer to a create that nothing outside has a say in. */
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
