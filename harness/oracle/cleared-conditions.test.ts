import { expect, it } from 'vitest';
import type { JsonValue } from 'stalemate-apiserver/objects/object';
import { isClearedCondition } from './cleared-conditions.ts';
import type { Difference } from './final-state.ts';

/** Returns the differences of a condition that a fresh copy does not have, or has with another status. */
function condition(type: string, status: JsonValue, expected?: JsonValue): readonly Difference[] {
  const leaf = (key: string, actual: JsonValue, other?: JsonValue): Difference => ({
    what: 'wrong-value',
    resource: 'widgets.example.com',
    object: 'widgets.example.com/web',
    path: `status.conditions[type=${type}].${key}`,
    actual,
    expected: other,
  });
  return [leaf('type', type), leaf('status', status, expected), leaf('reason', 'Recovered')];
}

function areCleared(found: readonly Difference[]): boolean {
  return found.every((one) => isClearedCondition(one, found));
}

it('knows a problem that is over by its type and its status', () => {
  expect(areCleared(condition('Degraded', 'False'))).toBe(true);
  expect(areCleared(condition('ReconcileFailed', 'False'))).toBe(true);
});

it('takes no problem that lasts, no condition that should be true, and none that a fresh copy has otherwise', () => {
  expect(areCleared(condition('Degraded', 'True'))).toBe(false);
  expect(areCleared(condition('Ready', 'False'))).toBe(false);
  expect(areCleared(condition('Degraded', 'False', 'True'))).toBe(false);
  expect(areCleared([{ ...condition('Degraded', 'False')[0]!, path: 'status.phase' }])).toBe(false);
});
