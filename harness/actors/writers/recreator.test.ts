import { expect, test } from 'vitest';
import { recreator } from './recreator.ts';
import { APP, drawn, play, SAMPLE, writerWorld } from './test-programs.ts';

test('brings back what the user applied, under another uid', async () => {
  const world = writerWorld();
  const before = world.stored(APP);
  const { finalizers: _, ...metadata } = before?.metadata ?? {};
  world.request('PUT', '/apis/example.com/v1/namespaces/default/apps/web', { ...before, metadata });
  const [ops = []] = drawn(recreator, world).filter(([op]) => op?.do === 'delete' && op.propagation === undefined);

  await play(world, ops);

  const after = world.stored(APP);
  expect(after).toMatchObject({ spec: SAMPLE['spec'] ?? {} });
  expect(after?.metadata.uid).not.toBe(before?.metadata.uid);
});

test('does not apply to a sample whose manifest it does not have', () => {
  const world = writerWorld();

  expect(recreator.ops(world.aim, { sample: [] })).toBeUndefined();
});
