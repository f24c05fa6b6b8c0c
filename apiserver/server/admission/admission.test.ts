import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../objects/object.ts';
import { CONFIGMAPS_PATH, configMap, JSON_PATCH, MERGE, testServer, widget, WIDGETS_PATH } from '../testing.ts';
import { CONFIGURATIONS, hook, install, message, patching, server } from './testing.ts';

const A = `${CONFIGMAPS_PATH}/a`;

describe('validating webhooks', () => {
  it('receive the object that is about to be stored (115)', () => {
    const made = server();
    install(made, 'validating', [hook('v')]);
    made.request('POST', `${CONFIGMAPS_PATH}?fieldManager=me`, configMap('a', { k: 'v' }));
    expect(made.reviews).toMatchObject([
      {
        kind: { group: '', version: 'v1', kind: 'ConfigMap' },
        resource: { group: '', version: 'v1', resource: 'configmaps' },
        requestKind: { group: '', version: 'v1', kind: 'ConfigMap' },
        name: 'a',
        namespace: 'default',
        operation: 'CREATE',
        userInfo: { groups: ['system:masters', 'system:authenticated'] },
        object: {
          kind: 'ConfigMap',
          data: { k: 'v' },
          metadata: { name: 'a', creationTimestamp: '2024-01-01T00:00:00Z' },
        },
        oldObject: null,
        dryRun: false,
        options: { kind: 'CreateOptions', apiVersion: 'meta.k8s.io/v1', fieldManager: 'me' },
      },
    ]);
    expect(made.reviews[0]?.object?.metadata.uid).toBe(made.request('GET', A).object.metadata.uid);
  });

  it('deny writes with their own status, and nothing is stored', () => {
    const made = server();
    install(made, 'validating', [hook('v')]);
    const revision = made.server.revision;
    made.say = () => ({ allowed: false });
    expect(made.request('POST', CONFIGMAPS_PATH, configMap('a'))).toMatchObject({
      code: 400,
      body: { message: 'admission webhook "v.example.com" denied the request without explanation' },
    });
    made.say = () => ({ allowed: false, status: { code: 422, reason: 'Invalid', message: 'no' }, warnings: ['w'] });
    expect(made.request('POST', CONFIGMAPS_PATH, configMap('a'))).toMatchObject({
      code: 422,
      headers: { warning: '299 - "w"' },
      body: { reason: 'Invalid', message: 'admission webhook "v.example.com" denied the request: no' },
    });
    expect(made.server.revision).toBe(revision);
  });

  it('are called once per name, even when it is generated', () => {
    const made = server();
    install(made, 'validating', [hook('v'), hook('w')]);
    const answer = made.request('POST', CONFIGMAPS_PATH, { metadata: { generateName: 'a-' } });
    expect(answer.code).toBe(201);
    expect(made.reviews.map((one) => one.name)).toEqual([answer.object.metadata.name, answer.object.metadata.name]);
  });

  it('receive deletions, of collections without a name, and all before the first is deleted', () => {
    const made = server();
    for (const name of ['a', 'b', 'c']) made.request('POST', CONFIGMAPS_PATH, configMap(name));
    install(made, 'validating', [hook('v')]);
    made.request('DELETE', `${A}?propagationPolicy=Background`);
    expect(made.reviews).toMatchObject([
      { name: 'a', object: null, oldObject: { metadata: { name: 'a' } }, options: { propagationPolicy: 'Background' } },
    ]);
    made.say = ({ oldObject }) => ({ allowed: oldObject?.metadata.name !== 'c' });
    expect(made.request('DELETE', CONFIGMAPS_PATH).code).toBe(400);
    expect(made.reviews.slice(1).map((one) => one.name)).toEqual([undefined, undefined]);
    expect(made.request('GET', CONFIGMAPS_PATH).body).toMatchObject({ items: [{ metadata: { name: 'c' } }] });
  });

  it('receive bindings, evictions and scales in their own kinds', () => {
    const made = server();
    const pods = '/api/v1/namespaces/default/pods';
    const pod = { metadata: { name: 'p' }, spec: { containers: [{ name: 'c', image: 'i' }] } };
    made.request('POST', pods, pod);
    made.request('POST', WIDGETS_PATH, widget('a', { replicas: 1 }));
    install(made, 'validating', [hook('v')]);
    made.request('POST', `${pods}/p/binding`, { metadata: { name: 'p' }, target: { kind: 'Node', name: 'n' } });
    made.request('POST', `${pods}/p/eviction`, { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: 'p' } });
    made.request('PATCH', `${WIDGETS_PATH}/a/scale`, { spec: { replicas: 3 } }, MERGE);
    expect(made.reviews).toMatchObject([
      { operation: 'CREATE', subResource: 'binding', kind: { kind: 'Binding' }, object: { target: { name: 'n' } } },
      { operation: 'CREATE', subResource: 'eviction', kind: { group: 'policy', kind: 'Eviction' } },
      {
        operation: 'UPDATE',
        subResource: 'scale',
        kind: { group: 'autoscaling', kind: 'Scale' },
        object: { spec: { replicas: 3 } },
        oldObject: { spec: { replicas: 1 } },
      },
    ]);
  });
});

describe('mutating webhooks', () => {
  it('change the object before it is validated and stored', () => {
    const made = server();
    install(made, 'mutating', [hook('m')]);
    made.say = () => patching([{ op: 'add', path: '/data', value: { added: 'x' } }]);
    const answer = made.request('POST', CONFIGMAPS_PATH, configMap('a'));
    expect(answer.object['data']).toEqual({ added: 'x' });
    expect(made.reviews[0]?.object?.metadata.uid).toBeUndefined();
    made.say = () => patching([{ op: 'replace', path: '/metadata/labels', value: { a: 'b c' } }]);
    expect(made.request('PATCH', A, { metadata: { labels: { a: 'b' } } }, MERGE)).toMatchObject({ code: 422 });
  });

  it('have their custom resources defaulted and pruned', () => {
    const made = server();
    install(made, 'mutating', [hook('m')]);
    made.say = () => patching([{ op: 'add', path: '/spec', value: { size: 7, bogus: true } }]);
    expect(made.request('POST', WIDGETS_PATH, widget('a')).object['spec']).toEqual({ size: 7, colour: 'red' });
  });

  it('are called again when a later one changes something, if they ask for reinvocation', () => {
    const made = server();
    install(made, 'mutating', [hook('m', { reinvocationPolicy: 'IfNeeded' }), hook('n'), hook('o')]);
    made.say = ({ object }, { url }) =>
      url.endsWith('/n') && object?.['data'] === undefined
        ? patching([{ op: 'add', path: '/data', value: { n: '1' } }])
        : { allowed: true };
    made.request('POST', CONFIGMAPS_PATH, configMap('a', undefined));
    expect(made.calls).toEqual(['m CREATE', 'n CREATE', 'o CREATE', 'm CREATE']);
    expect(made.reviews[3]?.object).toMatchObject({ data: { n: '1' } });
  });

  it('fail the request when their patch does not apply', () => {
    const made = server();
    install(made, 'mutating', [hook('m')]);
    made.say = () => patching([{ op: 'test', path: '/data/k', value: 'other' }]);
    expect(made.request('POST', CONFIGMAPS_PATH, configMap('a', { k: 'v' }))).toMatchObject({
      code: 500,
      body: { reason: 'InternalError', message: 'Internal error occurred: testing value /data/k failed: test failed' },
    });
    made.say = () => ({ allowed: true, patch: btoa('[]') });
    expect(message(made.request('POST', CONFIGMAPS_PATH, configMap('a')))).toBe(
      'Internal error occurred: failed calling webhook "m.example.com": received invalid webhook response: webhook returned response.patch but not response.patchType',
    );
  });

  it('cannot change deletions', () => {
    const made = server();
    made.request('POST', CONFIGMAPS_PATH, configMap('a'));
    install(made, 'mutating', [hook('m')]);
    made.say = () => patching([{ op: 'add', path: '/data', value: {} }]);
    expect(message(made.request('DELETE', A))).toBe(
      'Internal error occurred: admission webhook "m.example.com" attempted to modify the object, which is not supported for this operation',
    );
  });
});

describe('matching', () => {
  it('follows rules, scope and selectors', () => {
    const made = server();
    const rule = { apiGroups: [''], apiVersions: ['v1'], operations: ['UPDATE'], resources: ['configmaps'] };
    install(made, 'validating', [
      hook('update', { rules: [rule] }),
      hook('labelled', { objectSelector: { matchLabels: { a: 'b' } } }),
      hook('elsewhere', { namespaceSelector: { matchLabels: { a: 'b' } } }),
      hook('cluster', { rules: [{ ...rule, operations: ['*'], scope: 'Cluster', resources: ['*'] }] }),
    ]);
    made.request('POST', CONFIGMAPS_PATH, configMap('a', {}, { labels: { a: 'b' } }));
    made.request('PATCH', A, { metadata: { labels: null } }, MERGE);
    made.request('PATCH', A, [{ op: 'add', path: '/data', value: { k: 'v' } }], JSON_PATCH);
    made.request('POST', '/api/v1/namespaces', { metadata: { name: 'n' } });
    expect(made.calls).toEqual([
      'labelled CREATE',
      'update UPDATE',
      'labelled UPDATE',
      'update UPDATE',
      'cluster CREATE',
    ]);
  });

  it('matches equivalent versions unless the match policy is Exact', () => {
    const made = server();
    const rules = [{ apiGroups: ['example.com'], apiVersions: ['v1beta1'], operations: ['*'], resources: ['widgets'] }];
    install(made, 'validating', [hook('equivalent', { rules }), hook('exact', { rules, matchPolicy: 'Exact' })]);
    made.request('POST', WIDGETS_PATH, widget('a'));
    expect(made.calls).toEqual(['equivalent CREATE']);
    expect(made.reviews[0]).toMatchObject({
      kind: { version: 'v1beta1' },
      requestKind: { version: 'v1' },
      object: { apiVersion: 'example.com/v1beta1' },
    });
  });

  it('never calls webhooks about webhook configurations', () => {
    const made = server();
    install(made, 'validating', [hook('v')]);
    install(made, 'mutating', [hook('m')]);
    expect(made.calls).toEqual([]);
    made.request('DELETE', `${CONFIGURATIONS}/validatingwebhookconfigurations/validating`);
    made.request('POST', CONFIGMAPS_PATH, configMap('a'));
    expect(made.calls).toEqual(['m CREATE']);
  });
});

describe('match conditions', () => {
  const asking = (...expressions: readonly string[]): JsonObject => ({
    matchConditions: expressions.map((expression, index) => ({ name: `c${index}`, expression })),
  });

  it('are evaluated on the object, the old one and the request', () => {
    const made = server();
    install(made, 'validating', [
      hook('all', asking('request.operation == "CREATE"', 'object.metadata.name.startsWith("a")')),
      hook('changes', asking('oldObject != null && object.data != oldObject.data')),
    ]);
    made.request('POST', CONFIGMAPS_PATH, configMap('a', { k: 'v' }));
    made.request('POST', CONFIGMAPS_PATH, configMap('b', { k: 'v' }));
    made.request('PATCH', A, { data: { k: 'w' } }, MERGE);
    made.request('PATCH', A, { metadata: { labels: { a: 'b' } } }, MERGE);
    expect(made.calls).toEqual(['all CREATE', 'changes UPDATE']);
  });

  it('that fail refuse the request, unless another one is false or failures are ignored', () => {
    const made = server();
    install(made, 'validating', [hook('v', asking('object.spec.x == 1', 'request.operation == "CREATE"'))]);
    const refused = made.request('POST', CONFIGMAPS_PATH, configMap('a'));
    expect(refused.code).toBe(403);
    expect(message(refused)).toBe(
      'configmaps "a" is forbidden: expression \'object.spec.x == 1\' resulted in error: no such key: spec',
    );
    expect(made.calls).toEqual([]);
  });
});

describe('failures', () => {
  it('are errors or ignored, as the failure policy says', () => {
    const made = server();
    install(made, 'validating', [hook('v')]);
    made.say = () => ({ outcome: 'failed', why: 'dial tcp 127.0.0.1:1: connect: connection refused' });
    const text =
      'failed calling webhook "v.example.com": failed to call webhook: Post "https://hook/v?timeout=10s": dial tcp 127.0.0.1:1: connect: connection refused';
    expect(made.request('POST', CONFIGMAPS_PATH, configMap('a'))).toMatchObject({
      code: 500,
      body: { message: `Internal error occurred: ${text}`, details: { causes: [{ message: text }] } },
    });
    made.request(
      'PATCH',
      `${CONFIGURATIONS}/validatingwebhookconfigurations/validating`,
      [{ op: 'add', path: '/webhooks/0/failurePolicy', value: 'Ignore' }],
      JSON_PATCH,
    );
    expect(made.request('POST', CONFIGMAPS_PATH, configMap('a')).code).toBe(201);
  });

  it('report the address as client-go joins it, without double and trailing slashes', () => {
    const made = server();
    install(made, 'validating', [hook('v', { clientConfig: { url: 'https://hook//v/' } })]);
    made.say = () => ({ outcome: 'failed', why: 'EOF' });

    expect(message(made.request('POST', CONFIGMAPS_PATH, configMap('a')))).toContain(
      'Post "https://hook/v?timeout=10s"',
    );
    expect(made.calls).toEqual(['v CREATE']);
  });

  it('include a server that cannot call out', () => {
    const made = testServer();
    install(made, 'validating', [hook('v')]);
    expect(message(made.request('POST', CONFIGMAPS_PATH, configMap('a')))).toContain('this server makes no calls');
  });

  it('refuse dry runs to webhooks with side effects', () => {
    const made = server();
    // The API rejects such webhooks now; an older server may have stored one.
    made.server.seed([
      {
        apiVersion: 'admissionregistration.k8s.io/v1',
        kind: 'ValidatingWebhookConfiguration',
        metadata: { name: 'old' },
        webhooks: [hook('v', { sideEffects: 'Some' })],
      },
    ]);
    expect(message(made.request('POST', `${CONFIGMAPS_PATH}?dryRun=All`, configMap('a')))).toBe(
      'admission webhook "v.example.com" does not support dry run',
    );
  });
});
