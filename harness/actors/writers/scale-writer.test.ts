import { expect, test } from 'vitest';
import { scaleWriter } from './scale-writer.ts';
import { APP, DEPLOYMENT, drawn, play, writerWorld } from './test-programs.ts';

test('scales a sample only to counts that settled, a child by one', () => {
  const counts = new Map<unknown, Set<unknown>>();
  for (const op of drawn(scaleWriter, writerWorld()).flat()) {
    if (op.do !== 'set') continue;
    counts.set(op.target, (counts.get(op.target) ?? new Set()).add(op.value));
    expect(op.subresource).toBe('scale');
  }

  expect(counts.get(APP)).toEqual(new Set([3, 1, 2]));
  expect(counts.get(DEPLOYMENT)).toEqual(new Set([3, 1, 2]));
});

test('changes nothing but the replica count', async () => {
  const world = writerWorld();
  const [ops = []] = drawn(scaleWriter, world).filter(([op]) => op?.target === APP);

  await play(world, ops.slice(0, 1));

  expect(world.stored(APP)?.['spec']).toMatchObject({ image: 'web:v1', mode: 'safe' });
  expect(world.stored(APP)?.['spec']).not.toMatchObject({ replicas: 2 });
});

test('does not scale a sample without healthy counts', () => {
  const world = writerWorld();
  const objects = world.aim.objects.filter(({ relation }) => relation === 'sample');

  expect(scaleWriter.ops({ objects, healthySpecChanges: [] }, world.context)).toBeUndefined();
});
