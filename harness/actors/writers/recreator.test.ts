import { expect, test } from 'vitest';
import { recreator } from './recreator.ts';
import { APP, CONFIGMAP, DEPLOYMENT, drawn, play, SAMPLE, writerWorld } from './test-programs.ts';

test('brings back what the user applied, under another uid', async () => {
  const world = writerWorld();
  const before = world.stored(APP);
  const { finalizers: _, ...metadata } = before?.metadata ?? {};
  world.request('PUT', '/apis/example.com/v1/namespaces/default/apps/web', { ...before, metadata });
  const [ops = []] = drawn(recreator, world).filter(
    ([op]) => op?.do === 'delete' && op.propagation === undefined && typeof op.recreate === 'object',
  );

  await play(world, ops);

  const after = world.stored(APP);
  expect(after).toMatchObject({ spec: SAMPLE['spec'] ?? {} });
  expect(after?.metadata.uid).not.toBe(before?.metadata.uid);
});

test('does not apply to a sample whose manifest it does not have', () => {
  const world = writerWorld();
  const objects = world.aim.objects.filter(({ relation }) => relation === 'sample');

  expect(recreator.ops({ ...world.aim, objects }, { sample: [] })).toBeUndefined();
});

test('replaces a child by another one with the same content', async () => {
  const world = writerWorld();
  const ofChildren = drawn(recreator, world).filter(([op]) => op?.do === 'delete' && op.recreate === 'same');
  const before = world.stored(DEPLOYMENT);

  await play(world, ofChildren.find(([op]) => op?.target === DEPLOYMENT) ?? []);

  expect(new Set(ofChildren.map(([op]) => op?.target))).toEqual(new Set([DEPLOYMENT, CONFIGMAP]));
  const after = world.stored(DEPLOYMENT);
  expect(after?.metadata.uid).not.toBe(before?.metadata.uid);
  expect(after).toMatchObject({ spec: before?.['spec'], metadata: { labels: before?.metadata.labels } });
});
