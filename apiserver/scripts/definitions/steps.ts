/**
 * The steps of one object: created, read in every version, applied by two managers, patched in both ways, replaced, deleted.
 *
 * Pure: a step builds a request from the object and the server's last answer. Start at {@link stepsOf}.
 */
import type { Ask } from '../../fidelity/differential/client.ts';
import { isMap, mapOf, textOf } from '../../objects/json.ts';
import type { JsonObject, JsonValue } from '../../objects/object.ts';
import { pathOf, type Served } from './kinds.ts';

export interface Step {
  readonly name: string;
  /** Builds the request. `seen`: the object in this server's last answer. */
  readonly ask: (seen: JsonObject) => Ask;
}

/** Kinds that are only dry-run, because they change the answers to everything else. */
const ONLY_TRIED = new Set([
  'MutatingWebhookConfiguration',
  'ValidatingWebhookConfiguration',
  'ValidatingAdmissionPolicy',
  'ValidatingAdmissionPolicyBinding',
  'MutatingAdmissionPolicy',
  'MutatingAdmissionPolicyBinding',
  'APIService',
  'FlowSchema',
  'PriorityLevelConfiguration',
]);

const AGENT = { 'user-agent': 'definitions/1' };
const PATCH = {
  merge: 'application/merge-patch+json',
  json: 'application/json-patch+json',
  apply: 'application/apply-patch+yaml',
};

/** Returns the object as it is sent: in the namespace of the comparison, with a name. */
export function prepared(object: JsonObject, served: Served, namespace: string): JsonObject {
  const { namespace: _, uid: __, resourceVersion: ___, ...metadata } = mapOf(object['metadata']);
  const { generateName, ...kept } = metadata;
  const name = textOf(metadata['name']) || `${textOf(generateName)}sample`;
  return { ...object, metadata: { ...kept, name, ...(served.namespaced ? { namespace } : {}) } };
}

/** Returns the steps for a prepared object. */
export function stepsOf(object: JsonObject, served: Served, namespace: string): readonly Step[] {
  const metadata = mapOf(object['metadata']);
  const name = textOf(metadata['name']);
  const collection = pathOf(served, namespace);
  const path = pathOf(served, namespace, name);
  const step = (name_: string, ask: Omit<Ask, 'headers'>, type?: string): Step => ({
    name: name_,
    ask: () => ({ ...ask, headers: type === undefined ? AGENT : { ...AGENT, 'content-type': type } }),
  });
  const tried = step('create, strict, dry run', {
    method: 'POST',
    path: `${collection}?dryRun=All&fieldValidation=Strict`,
    body: object,
  });
  if (ONLY_TRIED.has(served.kind)) return [tried];
  const apply = (manager: string, body: JsonObject, force: boolean): Step =>
    step(
      `apply by ${manager}`,
      { method: 'PATCH', path: `${path}?fieldManager=${manager}&force=${force}`, body },
      PATCH.apply,
    );
  const labelled = { ...object, metadata: { ...metadata, labels: { ...mapOf(metadata['labels']), two: '2' } } };
  return [
    tried,
    step('create', { method: 'POST', path: collection, body: object }),
    step('get', { method: 'GET', path }),
    ...served.others.map((other) =>
      step('get in another version', { method: 'GET', path: pathOf(served, namespace, name, other) }),
    ),
    apply('one', object, false),
    apply('two', labelled, false),
    ...changes(object).map(({ name: what, patch }) =>
      Array.isArray(patch)
        ? step(what, { method: 'PATCH', path, body: patch }, PATCH.json)
        : step(what, { method: 'PATCH', path, body: patch }, PATCH.merge),
    ),
    ...less(object).map((body) => apply('one', body, true)),
    ...(served.status
      ? [
          step(
            'patch of the status',
            { method: 'PATCH', path: `${path}/status`, body: { status: object['status'] ?? { conditions: [] } } },
            PATCH.merge,
          ),
        ]
      : []),
    { name: 'put', ask: (seen) => ({ method: 'PUT', path, body: seen, headers: AGENT }) },
    {
      name: 'put with a label',
      ask: (seen) => {
        const meta = mapOf(seen['metadata']);
        const body = { ...seen, metadata: { ...meta, labels: { ...mapOf(meta['labels']), three: '3' } } };
        return { method: 'PUT', path, body, headers: AGENT };
      },
    },
    step('get at the end', { method: 'GET', path }),
    ...deletion(path),
  ];
}

/** Returns the steps that delete an object and remove its finalizers. */
export function deletion(path: string): readonly Step[] {
  return [
    {
      name: 'delete',
      ask: () => ({
        method: 'DELETE',
        path: `${path}?gracePeriodSeconds=0&propagationPolicy=Background`,
        headers: AGENT,
      }),
    },
    {
      name: 'patch without finalizers',
      ask: () => ({
        method: 'PATCH',
        path,
        body: { metadata: { finalizers: null } },
        headers: { ...AGENT, 'content-type': PATCH.merge },
      }),
    },
  ];
}

interface Change {
  readonly name: string;
  readonly patch: JsonValue;
}

/** Returns the main part of an object: `spec`, `data`, or the first other map with fields, except metadata and status. */
function bodyOf(object: JsonObject): readonly [string, JsonObject] | undefined {
  const names = Object.keys(object).filter((name) => !['metadata', 'status', 'apiVersion', 'kind'].includes(name));
  const name = ['spec', 'data', ...names].find(
    (one) => isMap(object[one]) && Object.keys(mapOf(object[one])).length > 0,
  );
  return name === undefined ? undefined : [name, mapOf(object[name])];
}

function changes(object: JsonObject): readonly Change[] {
  const body = bodyOf(object);
  const labels: Change = {
    name: 'merge patch of an annotation',
    patch: { metadata: { annotations: { patched: 'a<b>&c' } } },
  };
  if (body === undefined) return [labels];
  const [part, map] = body;
  const keys = Object.keys(map).sort();
  const [first = ''] = keys;
  const last = keys.at(-1) ?? first;
  const pointer = `/${part}/${first.replaceAll('~', '~0').replaceAll('/', '~1')}`;
  return [
    labels,
    { name: 'merge patch without a field', patch: { [part]: { [last]: null } } },
    { name: 'merge patch with an unknown field', patch: { [part]: { noSuchField: 1 } } },
    { name: 'json patch to another type', patch: [{ op: 'replace', path: pointer, value: ofAnotherType(map[first]) }] },
    {
      name: 'json patch with a test',
      patch: [
        { op: 'test', path: '/kind', value: textOf(object['kind']) },
        { op: 'remove', path: pointer },
      ],
    },
  ];
}

function ofAnotherType(value: JsonValue | undefined): JsonValue {
  return typeof value === 'string' ? { not: 'a text' } : 'not that type';
}

/** Returns the object with half of its fields: the apply removes the other half. */
function less(object: JsonObject): readonly JsonObject[] {
  const body = bodyOf(object);
  if (body === undefined) return [];
  const [part, map] = body;
  const keys = Object.keys(map).sort();
  const kept = Object.fromEntries(keys.filter((_, at) => at % 2 === 0).map((key) => [key, map[key]]));
  return [{ ...object, [part]: kept }];
}
