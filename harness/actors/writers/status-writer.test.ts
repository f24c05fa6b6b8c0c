import { expect, test } from 'vitest';
import { statusWriter } from './status-writer.ts';
import { APP, DEPLOYMENT, drawn, pathOf, play, writerWorld } from './test-programs.ts';

test('adds a condition that has all that the schema requires, beside those of the target', async () => {
  const world = writerWorld();
  const ops = drawn(statusWriter, world).find(([op]) => op?.do === 'append' && op.target === APP) ?? [];

  await play(world, ops.slice(0, 1));

  expect(world.stored(APP)?.['status']).toMatchObject({
    conditions: [
      { type: 'Ready', status: 'True' },
      { type: 'Audited', status: 'True', severity: 'Info', message: 'written by status-writer' },
    ],
  });
});

test('writes status fields that the schema knows and the target leaves alone, and no other', () => {
  const paths = drawn(statusWriter, writerWorld())
    .flat()
    .flatMap((op) => (op.do === 'set' && op.target === APP ? [pathOf(op)] : []));

  expect(new Set(paths)).toEqual(new Set(['status.lastBackup']));
});

test('reports the replicas of a deployment as its own controller would, valid at every step', async () => {
  const world = writerWorld();
  const report = drawn(statusWriter, world).find((ops) => ops.length === 3 && ops[0]?.target === DEPLOYMENT) ?? [];

  expect(await play(world, report)).toHaveLength(3);
  expect(world.stored(DEPLOYMENT)?.['status']).toMatchObject({ replicas: 2, readyReplicas: 2, availableReplicas: 2 });
});

test('has no condition for a status whose type enum does not know ours', () => {
  const { aim, context } = writerWorld();
  const objects = aim.objects.map((object) => ({
    ...object,
    schema: {
      properties: {
        status: {
          properties: {
            conditions: { items: { required: ['type'], properties: { type: { type: 'string', enum: ['Ready'] } } } },
          },
        },
      },
    },
  }));

  const world = { ...writerWorld(), aim: { ...aim, objects }, context };
  const appended = drawn(statusWriter, world).flat();

  expect(appended.filter((op) => op.do === 'append' && JSON.stringify(op.item).includes('Audited'))).toEqual([]);
});
