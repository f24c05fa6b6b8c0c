import { expect, test } from 'vitest';
import { labelStripper } from './label-stripper.ts';
import { APP, CONFIGMAP, DEPLOYMENT, drawn, play, writerWorld } from './test-programs.ts';

test('takes labels off what the target made, and off nothing else', async () => {
  const world = writerWorld();
  const ops = drawn(labelStripper, world).find(([op, ...more]) => op?.target === DEPLOYMENT && more.length === 0) ?? [];

  await play(world, ops);

  expect(world.stored(DEPLOYMENT)?.metadata.labels ?? {}).toEqual({});
  expect(world.stored(CONFIGMAP)?.metadata.labels).toEqual({ app: 'web' });
  expect(drawn(labelStripper, world).some(([op]) => op?.target === APP)).toBe(false);
});

test('puts them back at heal', async () => {
  const world = writerWorld();
  for (const ops of drawn(labelStripper, world).slice(0, 20)) {
    await play(world, [...ops, ...(labelStripper.heal?.(ops, world.aim) ?? [])]);

    expect(world.stored(DEPLOYMENT)?.metadata.labels).toEqual({ app: 'web' });
    expect(world.stored(CONFIGMAP)?.metadata.labels).toEqual({ app: 'web' });
  }
});
