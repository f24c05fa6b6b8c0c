import { expect, test } from 'vitest';
import { selfHealer } from './self-healer.ts';
import { APP, drawn, play, SAMPLE, writerWorld } from './test-programs.ts';

test('puts back what somebody else has changed of what was applied', async () => {
  const world = writerWorld();
  const programs = drawn(selfHealer, world);

  for (const ops of programs) {
    const [op] = ops;
    if (op?.do !== 'set') throw new Error('it sets fields');
    await play(world, [{ ...op, value: otherThan(op.value), via: 'update' }]);
    await play(world, ops);
  }

  expect(programs.length).toBeGreaterThan(0);
  expect(world.stored(APP)).toMatchObject({ spec: SAMPLE['spec'] });
});

test('does not apply to a sample whose manifest it does not have', () => {
  expect(selfHealer.ops(writerWorld().aim, { sample: [] })).toBeUndefined();
});

function otherThan(value: unknown): string | number | boolean {
  if (typeof value === 'number') return value + 1;
  return typeof value === 'boolean' ? !value : 'other:v9';
}
