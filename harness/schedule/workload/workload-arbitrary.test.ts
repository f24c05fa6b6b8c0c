import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { KubeObject } from 'stalemate-apiserver/objects/object';
import type { ObjectTarget, ProgramOp, Workload } from '../../model/workload.ts';
import { workloadArbitrary } from './workload-arbitrary.ts';
import type { AdversarialWriter, Aim, AimObject } from './writer.ts';

const TARGET: ObjectTarget = { group: '', version: 'v1', resource: 'configmaps', namespace: 'default', name: 'a' };
const SAMPLE: readonly KubeObject[] = [{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } }];
const AIM: Aim = { objects: [], healthySpecChanges: [] };
const UNDO: ProgramOp = { do: 'remove-item', target: TARGET, path: ['x'], item: 'mine' };

function writer(name: string, more: Partial<AdversarialWriter> = {}): AdversarialWriter {
  const op: ProgramOp = { do: 'set', target: TARGET, path: ['data', name], value: 1, via: 'update' };
  return { name, about: name, ops: () => fc.constantFrom<readonly ProgramOp[]>([op], [op, op]), ...more };
}

const WRITERS = [
  writer('churn', { as: 'user', changesSpec: true }),
  writer('scale', { changesSpec: true }),
  writer('a', { heal: () => [UNDO] }),
  writer('b', { standing: true }),
  writer('c'),
  writer('never', { ops: () => undefined }),
];

function workloads(writers: readonly AdversarialWriter[] = WRITERS, start?: Workload['start']): readonly Workload[] {
  const options = { aim: AIM, writers, sample: SAMPLE, ...(start === undefined ? {} : { start }) };
  return fc.sample(workloadArbitrary(options), { numRuns: 2_000, seed: 7 });
}

describe('drawn workloads', () => {
  test('have at most three writers of different kinds, named in order, and the user first', () => {
    for (const { programs } of workloads()) {
      const actors = programs.map((program) => program.actor);
      const others = actors.filter((actor) => actor !== 'user');
      const kinds = programs.map((program) => program.writer);

      expect(others).toEqual(['writer-1', 'writer-2', 'writer-3'].slice(0, others.length));
      expect(actors.lastIndexOf('user')).toBeLessThanOrEqual(0);
      expect(new Set(kinds).size).toBe(kinds.length);
      expect(kinds).not.toContain('never');
    }
  });

  test('mostly have one or two writers, and every count and kind comes up', () => {
    const drawn = workloads();
    const counts = [0, 0, 0, 0];
    for (const { programs } of drawn) {
      const n = programs.filter(({ actor }) => actor !== 'user').length;
      counts[n] = (counts[n] ?? 0) + 1;
    }
    const kinds = new Set(drawn.flatMap(({ programs }) => programs.map((program) => program.writer)));

    expect(Math.min(...counts)).toBeGreaterThan(0);
    expect((counts[1] ?? 0) + (counts[2] ?? 0)).toBeGreaterThan(drawn.length * 0.6);
    expect(kinds).toEqual(new Set(['churn', 'scale', 'a', 'b', 'c']));
    expect(new Set(drawn.map(({ start }) => start))).toEqual(new Set(['settled', 'empty']));
  });

  test('in a third of the runs write to one child only, if the target has several', () => {
    const children = Array.from(
      { length: 20 },
      (_, at) => ({ target: { ...TARGET, name: `child-${at}` }, relation: 'created-by-target' }) as AimObject,
    );
    const touching = (name: string): AdversarialWriter =>
      writer(name, {
        ops: ({ objects }) => {
          const moves = objects.map(({ target }): readonly ProgramOp[] => [
            { do: 'set', target, path: ['data', name], value: 1, via: 'update' },
          ]);
          return moves.length === 0 ? undefined : fc.constantFrom(...moves);
        },
      });
    const options = { aim: { ...AIM, objects: children }, sample: SAMPLE };
    const drawn = fc.sample(workloadArbitrary({ ...options, writers: [touching('a'), touching('b'), touching('c')] }), {
      numRuns: 2_000,
      seed: 7,
    });
    const several = drawn.filter(({ programs }) => programs.length > 1);
    const names = ({ programs }: Workload): Set<string> =>
      new Set(programs.flatMap(({ ops }) => ops.map((op) => op.target.name)));
    const together = several.filter((workload) => names(workload).size === 1).length / several.length;

    expect(together).toBeGreaterThan(0.3);
    expect(together).toBeLessThan(0.45);
    expect(new Set(drawn.flatMap((workload) => [...names(workload)])).size).toBe(20);
  });

  test('mostly aim where the target writes too, if asked to, and start from nothing as often as not', () => {
    const contested = { target: TARGET, ownedLeaves: ['metadata.finalizers["x"]'] } as unknown as AimObject;
    const picky = writer('picky', { contests: (object) => object.ownedLeaves.length > 0 });
    const drawn = fc.sample(
      workloadArbitrary({
        aim: { ...AIM, objects: [contested] },
        writers: [...WRITERS, picky],
        sample: SAMPLE,
        aimed: true,
      }),
      { numRuns: 2_000, seed: 7 },
    );
    const share = (is: (workload: Workload) => boolean): number => drawn.filter(is).length / drawn.length;

    expect(share(({ programs }) => programs.some((program) => program.writer === 'picky'))).toBeGreaterThan(0.5);
    expect(share(({ start }) => start === 'empty')).toBeGreaterThan(0.4);
    expect(new Set(drawn.flatMap(({ programs }) => programs.map((program) => program.writer)))).toContain('c');
    // Nothing interferes with a target at rest unless the user changes something.
    expect(drawn.every(({ start, programs }) => start === 'empty' || programs[0]?.actor === 'user')).toBe(true);
  });

  test('stir a target at rest by its user or by the loss of what it made, if asked to aim', () => {
    const child = { target: TARGET, relation: 'created-by-target', ownedLeaves: [] } as unknown as AimObject;
    const thief = writer('thief', { stirs: ({ relation }) => relation === 'created-by-target' });
    const drawn = fc.sample(
      workloadArbitrary({
        aim: { ...AIM, objects: [child] },
        writers: [...WRITERS, thief],
        sample: SAMPLE,
        aimed: true,
        start: 'settled',
      }),
      { numRuns: 2_000, seed: 7 },
    );
    const stirredBy = ({ programs }: Workload): string =>
      `${programs[0]?.actor === 'user' ? 'user ' : ''}${programs.some(({ writer }) => writer === 'thief') ? 'thief' : ''}`;
    const shares = Map.groupBy(drawn, stirredBy);

    expect([...shares.keys()].toSorted()).toEqual(['thief', 'user ', 'user thief']);
    for (const some of shares.values()) expect(some.length).toBeGreaterThan(drawn.length / 16);
    expect(Math.max(...drawn.map(({ programs }) => programs.length))).toBeLessThanOrEqual(4);
  });

  test('often stir a target at rest by the deletion of a sample, if asked to aim', () => {
    const child = { target: TARGET, relation: 'created-by-target', ownedLeaves: [] };
    const sample = { target: { ...TARGET, name: 'sample' }, relation: 'sample', ownedLeaves: [] };
    const thief = writer('thief', {
      stirs: () => true,
      ops: ({ objects }) =>
        objects.length === 0
          ? undefined
          : fc.constantFrom(...objects.map(({ target }): readonly ProgramOp[] => [{ do: 'delete', target }])),
    });
    const objects = [...Array.from({ length: 9 }, () => child), sample] as unknown as AimObject[];
    const drawn = fc.sample(
      workloadArbitrary({
        aim: { ...AIM, objects },
        writers: [...WRITERS, thief],
        sample: SAMPLE,
        aimed: true,
        start: 'settled',
      }),
      { numRuns: 2_000, seed: 7 },
    );
    const begins = drawn.filter(({ programs }) =>
      programs.some(({ actor, ops }) => actor === 'writer-1' && ops[0]?.target.name === 'sample'),
    );

    expect(begins.length).toBeGreaterThan(drawn.length / 8);
  });

  test('change the spec from one side only', () => {
    for (const { programs } of workloads()) {
      const kinds = programs.map((program) => program.writer);
      expect(kinds.includes('churn') && kinds.includes('scale')).toBe(false);
    }
  });

  test('are never idle: somebody acts, or the sample is applied under contention', () => {
    for (const { start, programs } of workloads()) expect(start === 'empty' || programs.length > 0).toBe(true);
  });

  test('carry what has to be undone, and who stays', () => {
    const programs = workloads().flatMap((workload) => workload.programs);

    for (const program of programs) {
      expect(program.heal).toEqual(program.writer === 'a' ? [UNDO] : undefined);
      expect(program.standing).toBe(program.writer === 'b' ? true : undefined);
    }
  });

  test('start as they are told to', () => {
    expect(new Set(workloads(WRITERS, 'empty').map(({ start }) => start))).toEqual(new Set(['empty']));
  });

  test('have no programs when no writer applies', () => {
    expect(
      new Set(workloads([writer('never', { ops: () => undefined })]).map(({ programs }) => programs.length)),
    ).toEqual(new Set([0]));
  });

  test('wait in some runs before one operation, mostly not for long, where the target does something by itself', () => {
    const drawn = fc.sample(
      workloadArbitrary({ aim: { ...AIM, waitsMs: [5, 70, 900] }, writers: WRITERS, sample: SAMPLE }),
      {
        numRuns: 2_000,
        seed: 7,
      },
    );

    const waits = drawn.map(({ programs }) =>
      programs.flatMap(({ ops }) => ops.flatMap(({ afterMs }) => afterMs ?? [])),
    );
    const times = (ms: number): number => waits.flat().filter((wait) => wait === ms).length;
    expect(new Set(waits.map(({ length }) => length))).toEqual(new Set([0, 1]));
    expect(waits.flat().length).toBeGreaterThan(100);
    expect(waits.flat().length).toBeLessThan(400);
    expect(times(5)).toBeGreaterThan(times(900));
    expect(times(900)).toBeGreaterThan(0);
    const standing = drawn.flatMap(({ programs }) => programs.filter(({ standing }) => standing === true));
    expect(standing.flatMap(({ ops }) => ops.flatMap(({ afterMs }) => afterMs ?? []))).toEqual([]);
    expect(
      workloads().flatMap(({ programs }) => programs.flatMap(({ ops }) => ops.filter((op) => 'afterMs' in op))),
    ).toEqual([]);
  });

  test('wait for hours in a few runs only', () => {
    const hours = 9 * 3_600_000;
    const drawn = fc.sample(
      workloadArbitrary({ aim: { ...AIM, waitsMs: [hours] }, writers: WRITERS, sample: SAMPLE, aimed: true }),
      { numRuns: 4_000, seed: 7 },
    );

    const waiting = drawn.filter(({ programs }) =>
      programs.some(({ ops }) => ops.some(({ afterMs }) => afterMs === hours)),
    );
    expect(waiting.length).toBeGreaterThan(40);
    expect(waiting.length).toBeLessThan(200);
    // These programs delete nothing that the target might change hours later, and only their last operation waits.
    for (const { programs } of waiting) {
      expect(programs.flatMap(({ ops }) => ops).some((op) => op.do === 'delete')).toBe(false);
      for (const { ops } of programs) expect(ops.slice(0, -1).every(({ afterMs }) => afterMs === undefined)).toBe(true);
    }
  });

  test('are the same for the same seed', () => {
    expect(workloads()).toEqual(workloads());
  });
});

test('shrinks to the one program that matters', () => {
  const found = fc.check(
    fc.property(workloadArbitrary({ aim: AIM, writers: WRITERS, sample: SAMPLE }), ({ programs }) => {
      return !programs.some((program) => program.writer === 'c');
    }),
    { seed: 3, numRuns: 1_000 },
  );

  const [smallest] = found.counterexample ?? [];
  expect(smallest?.start).toBe('settled');
  expect(smallest?.programs.map(({ writer, ops }) => [writer, ops.length])).toEqual([['c', 1]]);
});
