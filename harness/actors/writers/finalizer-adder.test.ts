import { expect, test } from 'vitest';
import { finalizerAdder, HOLD } from './finalizer-adder.ts';
import { APP, drawn, play, TARGET_FINALIZER, writerWorld } from './test-programs.ts';

test('adds its finalizer beside that of the target, and takes back its own only', async () => {
  const world = writerWorld();
  const ops = drawn(finalizerAdder, world).find((program) => program.length === 2 && program[0]?.target === APP) ?? [];

  await play(world, ops.slice(0, 1));
  expect(world.stored(APP)?.metadata.finalizers).toEqual([TARGET_FINALIZER, HOLD]);

  await play(world, ops.slice(1));
  expect(world.stored(APP)?.metadata.finalizers).toEqual([TARGET_FINALIZER]);
});

test('undoes at heal what it may have added', () => {
  for (const ops of drawn(finalizerAdder, writerWorld())) {
    const [add] = ops;

    expect(finalizerAdder.heal?.(ops, writerWorld().aim)).toEqual([
      { do: 'remove-item', target: add?.target, path: ['metadata', 'finalizers'], item: HOLD },
    ]);
  }
});
