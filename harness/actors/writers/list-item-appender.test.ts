import { expect, test } from 'vitest';
import { listItemAppender } from './list-item-appender.ts';
import { APP, CONFIGMAP, drawn, play, writerWorld } from './test-programs.ts';

test('adds a plain owner beside the controlling one', async () => {
  const world = writerWorld();
  const ops =
    drawn(listItemAppender, world).find(
      ([op]) => op?.do === 'append' && op.path[1] === 'ownerReferences' && op.target === CONFIGMAP,
    ) ?? [];

  await play(world, ops);

  const owners = world.stored(CONFIGMAP)?.metadata.ownerReferences ?? [];
  expect(owners.map((owner) => [owner.name, owner.controller === true])).toEqual([
    ['web', true],
    ['bystander', false],
  ]);
});

test('names no owner without a bystander', () => {
  const world = writerWorld();
  const { bystander: _, ...context } = world.context;

  const paths = drawn(listItemAppender, { ...world, context })
    .flat()
    .flatMap((op) => (op.do === 'append' ? [op.path.at(-1)] : []));

  expect(new Set(paths)).toEqual(new Set(['conditions', 'finalizers']));
});

test('takes back finalizers at heal and nothing else', () => {
  const programs = drawn(listItemAppender, writerWorld());

  const healed = programs.flatMap((ops) => listItemAppender.heal?.(ops, writerWorld().aim) ?? []);

  expect(healed).toContainEqual({
    do: 'remove-item',
    target: APP,
    path: ['metadata', 'finalizers'],
    item: 'stalemate.dev/guard',
  });
  expect(new Set(healed.map((op) => (op.do === 'remove-item' ? op.item : op.do)))).toEqual(
    new Set(['stalemate.dev/guard']),
  );
});
