import { expect, test } from 'vitest';
import { drifter } from './drifter.ts';
import { APP, CONFIGMAP, DEPLOYMENT, drawn, pathsWritten, play, writerWorld } from './test-programs.ts';

const pathsBy = (target: object, world = writerWorld()): ReadonlySet<string> => pathsWritten(drifter, target, world);

test('changes what the target has written to its children, and nothing else', () => {
  expect(pathsBy(CONFIGMAP)).toEqual(new Set(['data.config']));
  expect(pathsBy(DEPLOYMENT)).toEqual(new Set(['spec.template.spec.containers.{"name":"main"}.image']));
  expect(pathsBy(APP)).toEqual(new Set());
});

test('takes fields of a custom kind that the target has written from its schema', () => {
  const world = writerWorld();
  const objects = world.aim.objects.map((object) => ({
    ...object,
    relation: 'created-by-target' as const,
    ownedLeaves: ['spec.replicas'],
  }));

  expect(pathsBy(APP, { ...world, aim: { ...world.aim, objects } })).toEqual(new Set(['spec.replicas']));
});

test('leaves an immutable config map alone', () => {
  const world = writerWorld();
  const objects = world.aim.objects.map((entry) => ({ ...entry, object: { ...entry.object, immutable: true } }));

  expect(drawn(drifter, { ...world, aim: { ...world.aim, objects } })).toEqual([]);
});

test('changes the image of a pod template in place', async () => {
  const world = writerWorld();
  const [ops = []] = drawn(drifter, world).filter(([op]) => op?.target === DEPLOYMENT);

  await play(world, ops);

  expect(world.stored(DEPLOYMENT)).toMatchObject({
    spec: { template: { spec: { containers: [{ name: 'main', image: 'registry.example.com/drifted:1' }] } } },
  });
});
