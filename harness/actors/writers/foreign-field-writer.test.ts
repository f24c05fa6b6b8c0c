import { expect, test } from 'vitest';
import { foreignFieldWriter } from './foreign-field-writer.ts';
import { APP, CONFIGMAP, DEPLOYMENT, drawn, pathsWritten, play, writerWorld } from './test-programs.ts';

const pathsBy = (target: object, world = writerWorld()): ReadonlySet<string> =>
  pathsWritten(foreignFieldWriter, target, world);

test('writes fields of children that the target does not own', () => {
  expect(pathsBy(CONFIGMAP)).toEqual(new Set(['data.stalemate']));
  expect(pathsBy(DEPLOYMENT)).toEqual(
    new Set([
      'spec.template.metadata.annotations.stalemate.dev/restarted-at',
      'spec.minReadySeconds',
      'spec.revisionHistoryLimit',
    ]),
  );
  expect(pathsBy(APP)).toEqual(new Set());
});

test('reads the fields of a custom kind from its schema', () => {
  const world = writerWorld();
  const objects = world.aim.objects.map((object) => ({
    ...object,
    relation: 'written' as const,
    ownedLeaves: ['spec.image'],
  }));

  expect(pathsBy(APP, { ...world, aim: { ...world.aim, objects } })).toEqual(
    new Set(['spec.replicas', 'spec.paused', 'spec.mode']),
  );
});

test('leaves an immutable config map alone', () => {
  const world = writerWorld();
  const objects = world.aim.objects.map((entry) => ({ ...entry, object: { ...entry.object, immutable: true } }));

  expect(drawn(foreignFieldWriter, { ...world, aim: { ...world.aim, objects } })).toEqual([]);
});

test('keeps the data that the target wrote', async () => {
  const world = writerWorld();
  const [ops = []] = drawn(foreignFieldWriter, world).filter(([op]) => op?.target === CONFIGMAP);

  await play(world, ops);

  expect(world.stored(CONFIGMAP)?.['data']).toEqual({ config: 'x', stalemate: 'foreign-field-writer' });
});
