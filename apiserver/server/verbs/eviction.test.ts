import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../objects/object.ts';
import { MERGE, testServer, type Answer, type TestServer } from '../testing.ts';

const PODS = '/api/v1/namespaces/default/pods';
const BUDGETS = '/apis/policy/v1/namespaces/default/poddisruptionbudgets';

/** Returns a server with a running pod and a disruption budget that matches the pod. */
function server(ready: string, budget: JsonObject, spec: JsonObject = {}): TestServer {
  const made = testServer();
  made.request('POST', PODS, {
    metadata: { name: 'a', labels: { app: 'a' } },
    spec: { nodeName: 'n', containers: [{ name: 'c', image: 'i' }] },
  });
  const conditions = [{ type: 'Ready', status: ready }];
  made.request('PATCH', `${PODS}/a/status`, { status: { phase: 'Running', conditions } }, MERGE);
  made.request('POST', BUDGETS, {
    metadata: { name: 'b' },
    spec: { minAvailable: 1, selector: { matchLabels: { app: 'a' } }, ...spec },
  });
  made.request('PATCH', `${BUDGETS}/b/status`, { status: { observedGeneration: 1, ...budget } }, MERGE);
  return made;
}

function evict(made: TestServer, more: JsonObject = {}, query = ''): Answer {
  return made.request('POST', `${PODS}/a/eviction${query}`, { metadata: { name: 'a' }, ...more });
}

describe('an eviction', () => {
  it('spends the budget, marks the pod and deletes it with the requested grace period (53)', () => {
    const made = server('True', { disruptionsAllowed: 1, currentHealthy: 2, desiredHealthy: 1 });
    expect(evict(made, { deleteOptions: { gracePeriodSeconds: 5 } }).code).toBe(201);
    const pod = made.request('GET', `${PODS}/a`).object;
    expect(pod.metadata['deletionGracePeriodSeconds']).toBe(5);
    expect(pod).toMatchObject({
      status: {
        conditions: [
          { type: 'Ready' },
          { type: 'DisruptionTarget', status: 'True', lastProbeTime: null, reason: 'EvictionByEvictionAPI' },
        ],
      },
    });
    expect(made.request('GET', `${BUDGETS}/b`).object['status']).toMatchObject({
      disruptionsAllowed: 0,
      disruptedPods: { a: '2024-01-01T00:00:00Z' },
      conditions: [{ type: 'DisruptionAllowed', status: 'False', reason: 'InsufficientPods', observedGeneration: 1 }],
    });
  });

  it('has no effects as a dry run, requested in the query or in the body', () => {
    const made = server('True', { disruptionsAllowed: 1 });
    const { revision } = made.server;
    expect([evict(made, {}, '?dryRun=All').code, evict(made, { deleteOptions: { dryRun: ['All'] } }).code]).toEqual([
      201, 201,
    ]);
    expect(made.server.revision).toBe(revision);
  });

  it('reports why the budget forbids it', () => {
    const why = (status: JsonObject): unknown => {
      const { details } = evict(server('True', status)).body as { details?: { causes: { message: string }[] } };
      return details?.causes[0]?.message;
    };
    const budget = 'The disruption budget b';
    expect(why({ observedGeneration: 0 })).toBe(`${budget} is still being processed by the server.`);
    expect(why({ currentHealthy: 1, desiredHealthy: 1 })).toBe(`${budget} needs 1 healthy pods and has 1 currently`);
    expect(why({ currentHealthy: 2, desiredHealthy: 1 })).toBe(`${budget} does not allow evicting pods currently`);
  });

  it('evicts an unready pod without spending, where the policy or enough healthy pods allow it', () => {
    const always = server('False', { observedGeneration: 0 }, { unhealthyPodEvictionPolicy: 'AlwaysAllow' });
    const enough = server('False', { currentHealthy: 1, desiredHealthy: 1 });
    const few = server('False', { currentHealthy: 0, desiredHealthy: 1 });
    expect([always, enough, few].map((made) => evict(made).code)).toEqual([201, 201, 429]);
  });

  it("is refused when two budgets match, or when its name differs from the pod's", () => {
    const made = server('True', { disruptionsAllowed: 1 });
    made.request('POST', BUDGETS, { metadata: { name: 'c' }, spec: { selector: { matchLabels: { app: 'a' } } } });
    expect(evict(made).object).toMatchObject({
      code: 500,
      message: 'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.',
    });
    expect(evict(made, { metadata: { name: 'z' } }).code).toBe(400);
  });
});
