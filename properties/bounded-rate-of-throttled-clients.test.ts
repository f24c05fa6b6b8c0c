/** A client that sends few requests a second makes the intervals between tries alike; a back-off shows only in its silences. */
import { expect, it } from 'vitest';
import { judge, started, WIDGETS } from './test-bounded-rate.ts';

/** Returns the judgement of tries that each take two requests, 600 ms apart unless the back-off is longer. */
function throttled(backOffMs: readonly number[]): ReturnType<typeof judge> {
  const { h } = started();
  for (const pause of [0, ...backOffMs]) {
    const silence = Math.max(pause, 200);
    h.pass(silence).begin('controller', 'list', 'configmaps', '').answer();
    h.pass(Math.max(0, 600 - silence))
      .begin('controller', 'update', WIDGETS, 'web')
      .fail(500, '');
  }
  h.edit('controller', WIDGETS, 'web', ['status', 'n'], 1, 'status');
  return judge(h.phase('settle').pass(30_000));
}

it('accepts a back-off that grows behind alike intervals', () => {
  expect(throttled(Array.from({ length: 8 }, (_, n) => 5 * 2 ** n)).result).toBe('holds');
});

it('convicts alike intervals although a lease is renewed or another object read in between', () => {
  const { h } = started();
  for (let n = 0; n < 9; n++) {
    h.pass(80)
      .begin('controller', n === 2 ? 'get' : 'update', n === 2 ? 'configmaps' : 'leases.coordination.k8s.io', 'x')
      .answer();
    h.pass(120).begin('controller', 'update', WIDGETS, 'web').fail(500, '');
  }
  h.edit('controller', WIDGETS, 'web', ['status', 'n'], 1, 'status');

  expect(judge(h.phase('settle').pass(30_000))).toMatchObject({
    violations: [{ signature: { class: 'no-back-off' } }],
  });
});

it('convicts alike intervals without one', () => {
  expect(throttled(Array.from({ length: 8 }, () => 5))).toMatchObject({
    violations: [{ signature: { class: 'no-back-off' } }],
  });
});
