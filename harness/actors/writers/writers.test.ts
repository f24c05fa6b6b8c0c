import { describe, expect, test } from 'vitest';
import { objectPath } from 'stalemate-apiserver/wire/path';
import { diffLeaves } from '../../model/leaf.ts';
import type { ProgramOp } from '../../model/workload.ts';
import { WRITERS } from './index.ts';
import { APP, drawn, play, TARGET_FINALIZER, writerWorld } from './test-programs.ts';
import type { WriterWorld } from './test-programs.ts';

/** Returns the distinct programs of a writer. */
function programsOf(index: number): readonly (readonly ProgramOp[])[] {
  const writer = WRITERS[index];
  if (writer === undefined) return [];
  const programs = drawn(writer, writerWorld());
  return [...new Map(programs.map((ops) => [JSON.stringify(ops), ops])).values()];
}

/** Returns the leaves written by the target that changed or disappeared while the object existed. No writer may cause this. */
function targetLeavesLost(before: WriterWorld, after: WriterWorld): readonly string[] {
  return before.aim.objects.flatMap(({ target, object, ownedLeaves }) => {
    const now = after.stored(target);
    if (now === undefined || now.metadata.uid !== object.metadata.uid) return [];
    return diffLeaves(object, now).flatMap(({ path, from }) =>
      from !== undefined && ownedLeaves.includes(path) ? [`${target.resource} ${path}`] : [],
    );
  });
}

describe.for(WRITERS.map((writer, index) => [writer.name, index] as const))('%s', ([, index]) => {
  test('draws short programs', () => {
    const programs = programsOf(index);

    expect(programs.length).toBeGreaterThan(0);
    for (const ops of programs) {
      expect(ops.length).toBeGreaterThan(0);
      expect(ops.length).toBeLessThanOrEqual(3);
    }
  });

  test('sends only what the server accepts', async () => {
    for (const ops of programsOf(index)) {
      const world = writerWorld();
      // Remove the finalizers of the sample, so that deletion and recreation can complete.
      world.request(
        'PATCH',
        objectPath(APP, 'default', 'web'),
        { metadata: { finalizers: null } },
        { headers: { 'content-type': 'application/merge-patch+json' } },
      );

      const answers = await play(world, ops);

      // Foreground deletion waits for the garbage collector, and a child's second deletion for the target; this world has neither.
      const isChild = ops.every((op) => op.target !== APP);
      const waits = ops.some(
        (op) => op.do === 'delete' && (op.propagation === 'Foreground' || (isChild && ops.length > 1)),
      );
      expect(waits ? [] : answers.filter((line) => !/ 20[01]$/.test(line))).toEqual([]);
      // The self-healer does nothing if the object is as applied: it has a test of its own.
      if (WRITERS[index]?.name === 'self-healer') continue;
      expect(answers.some((line) => /^(PUT|PATCH|POST|DELETE) .* 20[01]$/.test(line))).toBe(true);
    }
  });

  test('keeps the finalizer of the target and what others put into lists', async () => {
    for (const ops of programsOf(index)) {
      const world = writerWorld();
      const before = world.aim.objects;
      await play(world, ops);

      expect(world.stored(APP)?.metadata.finalizers).toContain(TARGET_FINALIZER);
      for (const { target, object } of before) {
        const now = world.stored(target);
        if (now === undefined) continue;
        const lost = diffLeaves(object, now).filter(({ path, to }) => to === undefined && path.includes('['));
        expect(lost).toEqual([]);
      }
    }
  });

  test('leaves no finalizer of its own behind after heal', async () => {
    for (const ops of programsOf(index)) {
      const world = writerWorld();
      await play(world, [...ops, ...(WRITERS[index]?.heal?.(ops, world.aim) ?? [])]);

      const left = world.server.objects().flatMap((object) => object.metadata.finalizers ?? []);
      expect(left.filter((finalizer) => finalizer.startsWith('stalemate.dev/'))).toEqual([]);
    }
  });

  test('does not apply where there is nothing to aim at', () => {
    const context = { sample: [] };

    expect(WRITERS[index]?.ops({ objects: [], healthySpecChanges: [] }, context)).toBeUndefined();
  });
});

/** Writers that may set a replica count that the target sets too: the drift test decides who owns the field. */
const MEDDLERS = ['scale-writer', 'autoscaler', 'drifter'];
const RESPECTFUL = [...WRITERS.keys()].filter((index) => !MEDDLERS.includes(WRITERS[index]?.name ?? ''));

test('all but those that scale or drift leave alone what the target owns', async () => {
  for (const ops of RESPECTFUL.flatMap(programsOf)) {
    const before = writerWorld();
    const world = writerWorld();
    await play(world, ops);

    expect(targetLeavesLost(before, world)).toEqual([]);
  }
});

test('names are unique and kebab-case', () => {
  const names = WRITERS.map((writer) => writer.name);

  expect(new Set(names).size).toBe(names.length);
  for (const name of names) expect(name).toMatch(/^[a-z]+(-[a-z]+)*$/);
});
