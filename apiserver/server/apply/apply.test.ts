import { describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue, KubeObject } from '../../objects/object.ts';
import type { ApiRequest } from '../../wire/http.ts';
import { CONFIGMAPS_PATH, configMap, EPOCH_MS, JSON_PATCH, MERGE, testServer, type Answer } from '../testing.ts';
import { ApiServer, type FieldManagement } from '../server.ts';
import { THINGS } from './testing.ts';

const PATH = '/apis/apply.example.com/v1/namespaces/default/things';
const A = `${PATH}/a`;
const APPLY: Partial<ApiRequest> = { headers: { 'content-type': 'application/apply-patch+yaml' } };

interface Made {
  readonly clock: { nowMs: number };
  readonly server: ApiServer;
  readonly request: (
    method: ApiRequest['method'],
    path: string,
    body?: JsonValue,
    more?: Partial<ApiRequest>,
  ) => Answer;
  /** Applies a spec as `manager`. */
  readonly apply: (manager: string, spec: JsonObject, more?: string, metadata?: JsonObject) => Answer;
}

function serve(fieldManagement: FieldManagement = 'eager'): Made {
  const clock = { nowMs: EPOCH_MS };
  let ids = 0;
  const server = new ApiServer({
    now: () => clock.nowMs,
    newUid: () => `uid-${++ids}`,
    nameSuffix: () => 'abcde',
    fieldManagement,
  });
  server.installCrd(THINGS);
  const made: Made = {
    clock,
    server,
    request: (method, path, body, more = {}) => {
      const [bare = '', search = ''] = path.split('?', 2);
      const query = Object.fromEntries(new URLSearchParams(search));
      const answers: Answer[] = [];
      server.send(
        { method, path: bare, query, headers: {}, ...(body === undefined ? {} : { body }), ...more },
        {
          answer: (given) => answers.push({ ...given, object: given.body as KubeObject }),
          open: () => {},
          event: () => {},
          end: () => {},
        },
      );
      const [answer] = answers;
      if (answer === undefined) throw new TypeError(`no answer to ${method} ${path}`);
      return answer;
    },
    apply: (manager, spec, more = '', metadata = {}) =>
      made.request('PATCH', `${A}?fieldManager=${manager}${more}`, thing(spec, metadata), APPLY),
  };
  return made;
}

function thing(spec: JsonObject, metadata: JsonObject = {}): KubeObject {
  return { apiVersion: 'apply.example.com/v1', kind: 'Thing', metadata: { name: 'a', ...metadata }, spec };
}

/** Returns the fields of each managedFields entry, by `m1 Apply` or `m2 Update status`. */
function owners(answer: Answer): { readonly [entry: string]: JsonValue | undefined } {
  return Object.fromEntries(
    (answer.object.metadata.managedFields ?? []).map((entry) => [
      [entry['manager'], entry['operation'], entry['subresource']].filter((part) => typeof part === 'string').join(' '),
      entry['fieldsV1'],
    ]),
  );
}

function causes(answer: Answer): readonly string[] {
  const { details } = answer.body as { details: { causes: readonly { message: string; field: string }[] } };
  return details.causes.map(({ message, field }) => `${field}: ${message}`);
}

describe('an apply', () => {
  it('warns of duplicate keys, or refuses them under strict validation (113)', () => {
    const { request } = testServer();
    const path = '/api/v1/namespaces/default/configmaps/a?fieldManager=m';
    const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: { x: '2' } };
    const said = 'yaml: unmarshal errors:\n  line 7: key "x" already set in map\n  line 9: key "y" already set in map';
    const more = { headers: { 'content-type': 'application/apply-patch+yaml' }, duplicates: [said] };

    const strict = request('PATCH', `${path}&fieldValidation=Strict`, body, more);
    const warned = request('PATCH', path, body, more);
    const silent = request('PATCH', `${path}&fieldValidation=Ignore`, body, more);

    expect(strict).toMatchObject({
      code: 400,
      body: { message: `error strict decoding YAML: error converting YAML to JSON: ${said}` },
    });
    expect(warned.headers?.['warning']).toBe(
      '299 - "line 7: key \\"x\\" already set in map", 299 - "line 9: key \\"y\\" already set in map"',
    );
    expect(silent.code).toBe(200);
    expect(silent.headers?.['warning']).toBeUndefined();
  });

  it('creates an absent object with 201 and changes an existing one with 200 (65, 66)', () => {
    const { apply } = serve();

    const created = apply('m1', { size: 1, set: ['x'], map: [{ name: 'p', count: 2 }] });

    expect(created.code).toBe(201);
    expect(created.object.metadata.managedFields).toEqual([
      {
        manager: 'm1',
        operation: 'Apply',
        apiVersion: 'apply.example.com/v1',
        time: '2024-01-01T00:00:00Z',
        fieldsType: 'FieldsV1',
        fieldsV1: {
          'f:spec': {
            'f:map': { 'k:{"name":"p"}': { '.': {}, 'f:count': {}, 'f:name': {} } },
            'f:set': { 'v:"x"': {} },
            'f:size': {},
          },
        },
      },
    ]);
    expect(apply('m1', { size: 2 }).code).toBe(200);
  });

  it('is refused without a manager, with managedFields, in another version or kind (65)', () => {
    const { apply, request } = serve();

    expect(request('PATCH', A, thing({}), APPLY)).toMatchObject({
      code: 422,
      body: {
        details: { causes: [{ field: 'fieldManager', message: 'Required value: is required for apply patch' }] },
      },
    });
    expect(apply('m1', {}, '', { managedFields: [] })).toMatchObject({
      code: 400,
      body: { message: 'metadata.managedFields must be nil' },
    });
    expect(request('PATCH', `${A}?fieldManager=m`, { ...thing({}), kind: 'Other' }, APPLY)).toMatchObject({
      code: 400,
      body: { message: 'invalid object type: apply.example.com/v1, Kind=Other' },
    });
  });

  it('with a uid is a conflict when nothing is stored, with a version it is not (65)', () => {
    const { apply } = serve();

    expect(apply('m1', {}, '', { uid: 'u' })).toMatchObject({
      code: 409,
      body: {
        message:
          'Operation cannot be fulfilled on things.apply.example.com "a": uid mismatch: the provided object specified uid u, and no existing object was found',
      },
    });
    expect(apply('m1', {}, '', { resourceVersion: '1' }).code).toBe(201);
    expect(apply('m1', {}, '', { resourceVersion: '1' }).code).toBe(409);
  });

  it('recreates a deleted object with a new uid (156)', () => {
    const { apply, request } = serve();
    const { object } = apply('m1', { size: 1 });
    request('DELETE', A);

    const again = apply('m1', { size: 1 });

    expect(again.code).toBe(201);
    expect(again.object.metadata.uid).not.toBe(object.metadata.uid);
  });

  it('that changes nothing writes nothing, however late (42, 72)', () => {
    const { apply, clock, server } = serve();
    apply('m1', { size: 1 });
    const { revision } = server;
    clock.nowMs += 5000;

    const again = apply('m1', { size: 1 });

    expect(again.code).toBe(200);
    expect(server.revision).toBe(revision);
    expect(again.object.metadata.managedFields?.[0]?.['time']).toBe('2024-01-01T00:00:00Z');
  });

  it('of a field or an item of the wrong type is answered 500 (71)', () => {
    const { apply } = serve();
    const failure = 'failed to create typed patch object (/a; apply.example.com/v1, Kind=Thing): ';

    expect(apply('m1', { bogus: 1 })).toMatchObject({
      code: 500,
      body: { message: `${failure}.spec.bogus: field not declared in schema` },
    });
    expect(apply('m1', { map: [{ name: 'x' }, { name: 'x' }] })).toMatchObject({
      code: 500,
      body: { message: `${failure}.spec.map: duplicate entries for key [name="x"]` },
    });
    expect(apply('m1', { colour: 1 })).toMatchObject({
      code: 500,
      body: { message: `${failure}.spec.colour: expected string, got &value.valueUnstructured{Value:1}` },
    });
  });

  it('stores nothing on a dry run (65)', () => {
    const { apply, request } = serve();

    expect(apply('m1', { size: 1 }, '&dryRun=All').code).toBe(201);
    expect(request('GET', A).code).toBe(404);
  });
});

describe('two managers', () => {
  it('conflict over a value, and share one that they agree on (68, 160)', () => {
    const { apply } = serve();
    apply('m1', { size: 1, note: 'x' });

    const refused = apply('m2', { size: 2, note: 'y' });
    const shared = apply('m2', { size: 1 });

    expect(refused).toMatchObject({
      code: 409,
      body: {
        reason: 'Conflict',
        message: 'Apply failed with 2 conflicts: conflicts with "m1":\n- .spec.note\n- .spec.size',
      },
    });
    expect(causes(refused)).toEqual(['.spec.note: conflict with "m1"', '.spec.size: conflict with "m1"']);
    expect(owners(shared)).toEqual({
      'm1 Apply': { 'f:spec': { 'f:note': {}, 'f:size': {} } },
      'm2 Apply': { 'f:spec': { 'f:size': {} } },
    });
    // The object has not changed, so there is no time to record.
    expect(shared.object.metadata.managedFields?.[0]).toMatchObject({ manager: 'm2' });
    expect(shared.object.metadata.managedFields?.[0]?.['time']).toBeUndefined();
  });

  it('take fields from each other with force, or with any plain update (69)', () => {
    const { apply, request } = serve();
    apply('m1', { size: 1, note: 'x' });

    const forced = apply('m2', { size: 2 }, '&force=true');
    const stolen = request('PATCH', `${A}?fieldManager=m3`, { spec: { note: 'z' } }, MERGE);

    expect(owners(forced)).toMatchObject({
      'm1 Apply': { 'f:spec': { 'f:note': {} } },
      'm2 Apply': { 'f:spec': { 'f:size': {} } },
    });
    expect(owners(stolen)).toEqual({
      'm2 Apply': { 'f:spec': { 'f:size': {} } },
      'm3 Update': { 'f:spec': { 'f:note': {} } },
    });
  });

  it('keep fields that the other still owns when one stops applying them (70)', () => {
    const { apply } = serve();
    apply('m1', { size: 1, set: ['x', 'y'], map: [{ name: 'p' }] });
    apply('m2', { size: 1, set: ['y'] });

    const answer = apply('m1', {});

    expect(answer.object['spec']).toEqual({ size: 1, set: ['y'], colour: 'red' });
    expect(owners(answer)).toEqual({
      'm1 Apply': { 'f:spec': {} },
      'm2 Apply': { 'f:spec': { 'f:set': { 'v:"y"': {} }, 'f:size': {} } },
    });
  });

  it('own finalizers one by one, and plain lists as a whole (161)', () => {
    const { apply } = serve();
    apply('m1', { plainList: ['x'] }, '', { finalizers: ['example.com/a'] });

    expect(apply('m2', {}, '', { finalizers: ['example.com/b'] }).object.metadata.finalizers).toEqual([
      'example.com/a',
      'example.com/b',
    ]);
    expect(causes(apply('m2', { plainList: ['y'] }, '', { finalizers: ['example.com/b'] }))).toEqual([
      '.spec.plainList: conflict with "m1"',
    ]);
  });
});

describe('a list', () => {
  it('is merged in an order that preserves both orders', () => {
    const { apply } = serve();
    apply('m1', { set: ['a', 'b', 'c'] });

    expect(apply('m2', { set: ['c', 'x', 'a'] }).object).toMatchObject({ spec: { set: ['b', 'c', 'x', 'a'] } });
  });

  it('identifies its items with the defaults of their keys (71)', () => {
    const { apply } = serve();

    expect(owners(apply('m1', { map: [{ name: 'p', inner: [{ port: 80 }] }] }))).toMatchObject({
      'm1 Apply': {
        'f:spec': {
          'f:map': { 'k:{"name":"p"}': { 'f:inner': { 'k:{"port":80,"protocol":"TCP"}': { '.': {}, 'f:port': {} } } } },
        },
      },
    });
  });
});

describe('an update', () => {
  it('is owned by the product in the user agent (66)', () => {
    const { request } = serve();
    const headers = { 'user-agent': 'kubectl/v1.36.3 (linux)' };

    const { object } = request('POST', CONFIGMAPS_PATH, configMap('c', { a: 'b' }), { headers });

    expect(object.metadata.managedFields).toEqual([
      {
        manager: 'kubectl',
        operation: 'Update',
        apiVersion: 'v1',
        time: '2024-01-01T00:00:00Z',
        fieldsType: 'FieldsV1',
        fieldsV1: { 'f:data': { '.': {}, 'f:a': {} } },
      },
    ]);
  });

  it('does not own status through the object, nor anything else through the status (67)', () => {
    const { request } = serve();
    request('POST', `${PATH}?fieldManager=m1`, { ...thing({ size: 1 }), status: { phase: 'x' } });

    const { object } = request(
      'PATCH',
      `${A}/status?fieldManager=m1`,
      { metadata: { labels: { a: 'b' } }, spec: { size: 2 }, status: { phase: 'y' } },
      MERGE,
    );

    expect(owners({ object } as Answer)).toEqual({
      'm1 Update': { 'f:spec': { '.': {}, 'f:colour': {}, 'f:size': {} } },
      'm1 Update status': { 'f:status': { '.': {}, 'f:phase': {} } },
    });
  });

  it('keeps ten entries of updates; the oldest become ancient-changes (66)', () => {
    const { request, clock } = serve();
    request('POST', `${PATH}?fieldManager=m0`, thing({ size: 0 }));
    let last: Answer | undefined;
    for (let index = 1; index <= 11; index++) {
      clock.nowMs += 1000;
      last = request('PATCH', `${A}?fieldManager=m${index}`, { metadata: { labels: { [`l${index}`]: 'x' } } }, MERGE);
    }

    const names = (last?.object.metadata.managedFields ?? []).map((entry) => entry['manager']);

    expect(names).toEqual(['ancient-changes', 'm3', 'm4', 'm5', 'm6', 'm7', 'm8', 'm9', 'm10', 'm11']);
  });

  it('may replace managedFields, or reset them; a write to the status may not (72, 142)', () => {
    const { request } = serve();
    request('POST', `${PATH}?fieldManager=m1`, thing({ size: 1 }));
    const reset = [{ op: 'replace', path: '/metadata/managedFields', value: [{}] }];

    expect(
      request('PATCH', `${A}/status?fieldManager=m1`, reset, JSON_PATCH).object.metadata.managedFields,
    ).toHaveLength(1);
    expect(request('PATCH', `${A}?fieldManager=m1`, reset, JSON_PATCH).object.metadata.managedFields).toBeUndefined();
    // From here on updates are not tracked until the next apply.
    const plain = request('PATCH', `${A}?fieldManager=m1`, { spec: { size: 2 } }, MERGE);
    expect(plain.object.metadata.managedFields).toBeUndefined();
  });
});

describe('the first apply', () => {
  it('assigns fields without owners to before-first-apply (66)', () => {
    const { request, apply } = serve();
    request('POST', `${PATH}?fieldManager=m1`, thing({ size: 1 }));
    request('PATCH', A, [{ op: 'replace', path: '/metadata/managedFields', value: [{}] }], JSON_PATCH);

    expect(causes(apply('m2', { size: 2 }))).toEqual([
      '.spec.size: conflict with "before-first-apply" using apply.example.com/v1',
    ]);
  });

  it('of kubectl takes over the fields of its client-side apply, and updates the annotation (73)', () => {
    const { request, apply } = serve();
    const annotation = 'kubectl.kubernetes.io/last-applied-configuration';
    const annotations = { [annotation]: JSON.stringify(thing({ note: 'x' })) };
    request('POST', `${PATH}?fieldManager=kubectl-client-side-apply`, thing({ note: 'x' }, { annotations }));

    const taken = apply('kubectl', { note: 'y' });

    expect(taken.code).toBe(200);
    expect(taken.object.metadata.annotations?.[annotation]).toBe(
      '{"apiVersion":"apply.example.com/v1","kind":"Thing","metadata":{"name":"a"},"spec":{"note":"y"}}\n',
    );
  });
});

describe('a scale', () => {
  it('moves ownership of the count to the writer', () => {
    const { request } = serve();
    request('POST', `${PATH}?fieldManager=m1`, thing({ replicas: 1, size: 1 }));
    request('PATCH', `${A}/scale?fieldManager=m2`, { spec: { replicas: 2 } }, MERGE);

    expect(owners(request('GET', A))).toEqual({
      'm1 Update': { 'f:spec': { '.': {}, 'f:colour': {}, 'f:size': {} } },
      'm2 Update scale': { 'f:spec': { 'f:replicas': {} } },
    });
  });
});

describe('fields that admission fills in', () => {
  it('have no owner (66)', () => {
    const { request } = serve();
    const pod = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'p' },
      spec: { containers: [{ name: 'a', image: 'b' }] },
    };

    const made = request('POST', '/api/v1/namespaces/default/pods?fieldManager=m1', pod);

    expect(made.object['spec']).toMatchObject({ priority: 0 });
    expect(Object.keys(owners(made)['m1 Update'] as JsonObject)).toEqual(['f:spec']);
    expect((owners(made)['m1 Update'] as { 'f:spec': JsonObject })['f:spec']).not.toHaveProperty('f:priority');
  });
});

describe('lazily computed owners', () => {
  it('equal those that an eager server computes (66)', () => {
    const answers = (['eager', 'on-apply'] as const).map((mode) => {
      const { request, apply } = serve(mode);
      request('POST', `${PATH}?fieldManager=m1`, thing({ size: 1, replicas: 1, set: ['x'] }));
      request('PATCH', `${A}?fieldManager=m2`, { spec: { size: 2, set: ['x', 'y'] } }, MERGE);
      request('PATCH', `${A}/scale?fieldManager=m3`, { spec: { replicas: 2 } }, MERGE);
      request('PATCH', `${A}/status?fieldManager=m4`, { status: { phase: 'x' } }, MERGE);
      return [request('GET', A), apply('m5', { note: 'x' }), apply('m6', { size: 3 })] as const;
    });
    const [eager, late] = answers;

    expect(late?.[0].object.metadata.managedFields).toBeUndefined();
    expect(late?.[1].body).toEqual(eager?.[1].body);
    expect(late?.[2].body).toEqual(eager?.[2].body);
    expect(owners(late?.[1] as Answer)).toHaveProperty('m3 Update scale');
  });
});
