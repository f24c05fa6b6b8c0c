import { expect, test } from 'vitest';
import type { JsonValue } from 'stalemate-apiserver/objects/object';
import { specChurn } from './spec-churn.ts';
import { drawn, pathOf, writerWorld } from './test-programs.ts';

const ORIGINAL: { readonly [field: string]: JsonValue } = { replicas: 2, image: 'web:v1' };
const HEALTHY = ['replicas=3', 'replicas=1', 'image="web:v2"'];

test('passes only through states in which at most one field differs, by a healthy value', () => {
  const programs = drawn(specChurn, writerWorld());

  for (const ops of programs) {
    const spec: { [field: string]: JsonValue } = { ...ORIGINAL };
    for (const op of ops) {
      if (op.do !== 'set') throw new TypeError(op.do);
      spec[pathOf(op).replace('spec.', '')] = op.value;
      const changed = Object.entries(spec).filter(([field, value]) => value !== ORIGINAL[field]);
      expect(changed.length).toBeLessThanOrEqual(1);
      for (const [field, value] of changed) expect(HEALTHY).toContain(`${field}=${JSON.stringify(value)}`);
    }
  }
});

test('goes there, back, and there again', () => {
  const values = drawn(specChurn, writerWorld()).map((ops) => ops.map((op) => (op.do === 'set' ? op.value : op.do)));

  expect(values).toContainEqual([3]);
  expect(values).toContainEqual([3, 2]);
  expect(values).toContainEqual([3, 1]);
  expect(values).toContainEqual([3, 2, 3]);
  expect(values).toContainEqual([3, 2, 'web:v2']);
});

test('returns to absence when the field was absent', () => {
  const world = writerWorld();
  const [change] = world.aim.healthySpecChanges;
  if (change === undefined) throw new TypeError('no change');
  const paused = { ...change, path: ['spec', 'paused'], value: true };

  const values = drawn(specChurn, { ...world, aim: { ...world.aim, healthySpecChanges: [paused] } });

  expect(values.map((ops) => ops.map((op) => (op.do === 'set' ? op.value : op.do)))).toContainEqual([true, null]);
});
