import { expect, test } from 'vitest';
import { deleter } from './deleter.ts';
import { APP, CONFIGMAP, DEPLOYMENT, drawn, INPUT, writerWorld } from './test-programs.ts';

test('deletes children and samples, never what the target only reads', () => {
  const targets = new Set(drawn(deleter, writerWorld()).flatMap((ops) => ops.map((op) => op.target)));

  expect(targets).toEqual(new Set([APP, DEPLOYMENT, CONFIGMAP]));
  expect(targets).not.toContain(INPUT);
});

test('deletes a child once, or again as soon as it may be back', () => {
  const ofChild = drawn(deleter, writerWorld()).filter(([op]) => op?.target === DEPLOYMENT);

  expect(new Set(ofChild.map((ops) => ops.length))).toEqual(new Set([1, 2]));
  expect(new Set(ofChild.flatMap((ops) => ops.map((op) => op.target)))).toEqual(new Set([DEPLOYMENT]));
});

test('asks for foreground deletion only where garbage is collected', () => {
  const world = writerWorld();
  const policies = (context: typeof world.context): ReadonlySet<unknown> =>
    new Set(
      drawn(deleter, { ...world, context }).flatMap((ops) => ops.map((op) => op.do === 'delete' && op.propagation)),
    );

  expect(policies(world.context)).toEqual(new Set([undefined, 'Foreground']));
  expect(policies({ sample: world.context.sample })).toEqual(new Set([undefined]));
});

test('deletes several samples all together or not at all', () => {
  const world = writerWorld();
  const [first] = world.aim.objects;
  if (first === undefined) throw new TypeError('no sample');
  const samples = (count: number): typeof world.aim => ({
    ...world.aim,
    objects: Array.from({ length: count }, (_, n) => ({ ...first, target: { ...first.target, name: `web-${n}` } })),
  });

  expect(new Set(drawn(deleter, { ...world, aim: samples(3) }).map((ops) => ops.length))).toEqual(new Set([3]));
  expect(drawn(deleter, { ...world, aim: samples(4) })).toEqual([]);
});
