import { expect, test } from 'vitest';
import { annotationToucher } from './annotation-toucher.ts';
import { labelToucher } from './label-toucher.ts';
import { inStyles, isOwned } from './moves.ts';
import { CONFIGMAP, drawn, INPUT, play, writerWorld } from './test-programs.ts';

test.for([
  ['labels', labelToucher],
  ['annotations', annotationToucher],
] as const)('its own key of %s is set, changed and removed', async ([map, writer]) => {
  const world = writerWorld();
  const ops = drawn(writer, world).find((program) => program.length === 3 && program[0]?.target === CONFIGMAP) ?? [];
  const key = 'stalemate.dev/touched';

  await play(world, ops.slice(0, 1));
  expect(world.stored(CONFIGMAP)?.metadata[map]).toHaveProperty([key], 'once');
  await play(world, ops.slice(1, 2));
  expect(world.stored(CONFIGMAP)?.metadata[map]).toHaveProperty([key], 'twice');
  await play(world, ops.slice(2));
  expect(world.stored(CONFIGMAP)?.metadata[map] ?? {}).not.toHaveProperty([key]);
  expect(
    drawn(writer, world)
      .flat()
      .some((op) => op.target === INPUT),
  ).toBe(true);
});

test('a JSON patch is only drawn where the map around the field is there', () => {
  const styles = (object: { readonly [key: string]: { readonly x: string } }, ...path: readonly string[]): unknown[] =>
    inStyles(object, path, (via) => [{ do: 'set', target: CONFIGMAP, path, value: 1, via }]).map(
      ([op]) => op?.do === 'set' && op.via,
    );

  expect(styles({}, 'data', 'a')).toEqual(['update', 'merge-patch']);
  expect(styles({ data: { x: '' } }, 'data', 'a')).toEqual(['update', 'merge-patch', 'json-patch']);
});

test('a path is owned when the target changes it or something below it', () => {
  const [object] = writerWorld().aim.objects;
  if (object === undefined) throw new TypeError('no object');

  expect(isOwned(object, ['status', 'replicas'])).toBe(true);
  expect(isOwned(object, ['status', 'conditions'])).toBe(true);
  expect(isOwned(object, ['status'])).toBe(true);
  expect(isOwned(object, ['status', 'replic'])).toBe(false);
});
