import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../objects/object.ts';
import type { CallOutAnswer } from '../server.ts';
import { CONFIGMAPS_PATH, configMap, MERGE, testServer } from '../testing.ts';
import { CONFIGURATIONS, hook, install, reviewed, rules, type Review } from './testing.ts';

const A = `${CONFIGMAPS_PATH}/a`;

describe('a request that waits for an answer', () => {
  it('runs again against the current store, with the same uid and name', () => {
    const waiting: ((given: CallOutAnswer) => void)[] = [];
    const asked: Review[] = [];
    const made = testServer({
      callOut: (callOut, answer) => {
        asked.push(callOut.body['request'] as Review);
        waiting.push(answer);
        return () => {};
      },
    });
    made.request('POST', CONFIGMAPS_PATH, configMap('a', { k: 'old' }));
    install(made, 'validating', [hook('v', { rules: [rules('configmaps')] })]);
    const answers: { code: number }[] = [];
    made.server.send(
      { method: 'PATCH', path: A, query: {}, body: { data: { mine: 'x' } }, ...headers(MERGE) },
      { answer: (given) => answers.push(given), open: () => {}, event: () => {}, end: () => {} },
    );
    expect([answers.length, asked.length]).toEqual([0, 1]);
    made.request('DELETE', `${CONFIGURATIONS}/validatingwebhookconfigurations/validating`);
    made.request('PATCH', A, { data: { theirs: 'y' } }, MERGE);
    install(made, 'validating', [hook('v', { rules: [rules('configmaps')] })]);

    // The object has changed in the meantime, so the webhook's answer is about another object.
    waiting[0]?.(reviewed(asked[0] as Review, { allowed: true }));
    expect([answers.length, asked.length]).toEqual([0, 2]);
    expect(asked[1]?.object).toMatchObject({ data: { mine: 'x', theirs: 'y' } });
    waiting[1]?.(reviewed(asked[1] as Review, { allowed: true }));
    expect(answers).toMatchObject([{ code: 200 }]);
    expect(made.request('GET', A).object['data']).toEqual({ k: 'old', mine: 'x', theirs: 'y' });
  });
});

describe('a slow webhook', () => {
  it('is called once, however late it answers', () => {
    const asked: Review[] = [];
    const late: (() => void)[] = [];
    const made = testServer({
      fieldManagement: 'eager',
      callOut: (callOut, answer) => {
        const request = callOut.body['request'] as Review;
        asked.push(request);
        late.push(() => answer(reviewed(request, { allowed: true })));
        return () => {};
      },
    });
    install(made, 'validating', [hook('v')]);
    const codes: number[] = [];
    made.server.send(
      { method: 'POST', path: CONFIGMAPS_PATH, query: {}, headers: {}, body: { metadata: { generateName: 'a-' } } },
      { answer: ({ code }) => codes.push(code), open: () => {}, event: () => {}, end: () => {} },
    );
    made.clock.nowMs += 5_000;
    late[0]?.();
    expect([codes, asked.length]).toEqual([[201], 1]);
    const stored = made.request('GET', CONFIGMAPS_PATH).body as unknown as { readonly items: readonly KubeObject[] };
    expect(stored.items[0]?.metadata).toMatchObject({
      name: asked[0]?.name,
      uid: asked[0]?.object?.metadata.uid,
      creationTimestamp: '2024-01-01T00:00:00Z',
    });
  });
});

function headers(more: typeof MERGE): { readonly headers: { readonly [name: string]: string } } {
  return { headers: more.headers ?? {} };
}
