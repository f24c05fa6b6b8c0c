/** Every request gets an answer: nothing is thrown, and every revision has a change. */
import { expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '../objects/object.ts';
import { MERGE, testServer, WIDGETS } from './testing.ts';

const ODD: readonly JsonValue[] = [null, 5, 'x', [], {}, [null], [5], ['x'], [{}], { a: null }];

const TEMPLATE: JsonObject = {
  metadata: { labels: { a: 'b' } },
  spec: {
    containers: [
      {
        name: 'c',
        image: 'i',
        env: [{ name: 'e', valueFrom: { fieldRef: { fieldPath: 'x' } } }],
        resources: { limits: { cpu: '1' }, requests: { cpu: 1 } },
        ports: [{ containerPort: 1 }],
        livenessProbe: { httpGet: { port: 1 } },
      },
    ],
    volumes: [{ name: 'v', configMap: { name: 'x' } }],
    tolerations: [{ key: 'a' }],
  },
};

const SELECTOR: JsonObject = {
  matchLabels: { a: 'b' },
  matchExpressions: [{ key: 'a', operator: 'In', values: ['b'] }],
};

const META: JsonObject = {
  name: 'd',
  labels: { a: 'b' },
  finalizers: ['a/b'],
  ownerReferences: [{ apiVersion: 'v1', kind: 'X', name: 'x', uid: 'u' }],
};

/** Collections, each with a valid object for it. */
const SAMPLES: readonly (readonly [string, JsonObject])[] = [
  ['/apis/apiextensions.k8s.io/v1/customresourcedefinitions', WIDGETS],
  [
    '/apis/apps/v1/namespaces/default/deployments',
    { metadata: META, spec: { strategy: { rollingUpdate: { maxSurge: 1 } }, selector: SELECTOR, template: TEMPLATE } },
  ],
  ['/api/v1/namespaces/default/pods', { metadata: META, spec: { nodeName: 'n', ...(TEMPLATE['spec'] as JsonObject) } }],
  ['/api/v1/namespaces/default/services', { metadata: META, spec: { type: 'NodePort', ports: [{ port: 1 }] } }],
  [
    '/apis/batch/v1/namespaces/default/jobs',
    {
      metadata: META,
      spec: { template: { ...TEMPLATE, spec: { ...(TEMPLATE['spec'] as JsonObject), restartPolicy: 'Never' } } },
    },
  ],
  ['/apis/policy/v1/namespaces/default/poddisruptionbudgets', { metadata: META, spec: { selector: SELECTOR } }],
  ['/api/v1/namespaces', { metadata: { name: 'd' }, spec: { finalizers: ['kubernetes'] } }],
  ['/api/v1/namespaces/default/secrets', { metadata: META, data: { a: 'b' }, stringData: { a: 'b' } }],
];

/** Yields copies of `value`, each with one part replaced by a malformed value. */
function* misshapen(value: JsonValue): Generator<JsonValue> {
  yield* ODD;
  if (value === null || typeof value !== 'object') return;
  if (Array.isArray(value)) {
    const list = value as readonly JsonValue[];
    for (const [index, item] of list.entries()) for (const odd of misshapen(item)) yield list.with(index, odd);
    return;
  }
  const map = value as JsonObject;
  for (const key of Object.keys(map)) for (const odd of misshapen(map[key] ?? null)) yield { ...map, [key]: odd };
}

// Thousands of requests may take minutes on a busy machine.
it.each(SAMPLES)('answers any request to %s', { timeout: 300_000 }, (path, sample) => {
  const made = testServer({ widgets: false });
  const name = (sample['metadata'] as { readonly name: string }).name;
  const codes = new Set<number>();
  let changes = 0;
  const start = made.server.revision;
  made.server.observe(() => changes++);
  const snapshot = made.server.snapshot();
  const send = (...request: Parameters<typeof made.request>): void => {
    codes.add(made.request(...request).code);
  };

  for (const odd of misshapen(sample)) {
    made.server.restore(snapshot);
    changes = 0;
    send('POST', path, odd);
    send('PUT', `${path}/${name}`, odd);
    send('DELETE', `${path}/${name}`);
    send('POST', path, sample);
    for (const subresource of ['', '/status', '/scale']) send('PATCH', `${path}/${name}${subresource}`, odd, MERGE);
    send('GET', `${path}/${name}/scale`);
    send('POST', `${path}/${name}/binding`, { metadata: { name }, target: { name: 'x' } });
    send('POST', `${path}/${name}/eviction`, { metadata: { name } });
    send('PUT', `${path}/${name}/finalize`, odd);
    send('DELETE', `${path}/${name}`, odd);
    send('GET', '/apis');
    send('GET', '/openapi/v3');
    expect(made.server.revision - start).toBe(changes);
  }

  // Both outcomes occur: the server does not simply reject every sample.
  expect([...codes]).toEqual(expect.arrayContaining([200, 201, 400]));
});
