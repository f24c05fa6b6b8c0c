import { describe, expect, it } from 'vitest';
import type { History } from '../../model/history.ts';
import { scheduleSize } from '../../model/schedule.ts';
import type { FaultKind } from '../../model/schedule.ts';
import type { Workload } from '../../model/workload.ts';
import { historyBuilder, manifest } from '../../oracle/test-history.ts';
import { singleDeviations } from './deviations.ts';

const WEB = { group: '', version: 'v1', resource: 'configmaps', namespace: 'default', name: 'web' };
const STREAM = 'controller/watch/configmaps/default#0';

/**
 * Returns an undisturbed run: the user changes an object; the target receives the event, writes, and receives its own event; then a writer
 * makes a change.
 */
function calm(writer = 'web'): History {
  const h = historyBuilder();
  h.create('user', 'configmaps', { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'web' } });
  h.create('user', 'configmaps', { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'other' } });
  h.phase('contention');
  h.edit('user', 'configmaps', 'web', ['data', 'wish'], 'more');
  h.deliver('controller', 'configmaps');
  h.edit('controller', 'configmaps', 'web', ['data', 'done'], 'more');
  h.deliver('controller', 'configmaps');
  h.edit('writer-1', 'configmaps', writer, ['data', 'else'], 'mine');
  h.phase('heal');
  h.edit('controller', 'configmaps', 'web', ['data', 'healed'], 'yes');
  h.phase('settle');
  return h.build();
}

function workload(name = 'web'): Workload {
  const target = { ...WEB, name };
  return {
    version: 1,
    start: 'settled',
    sample: [],
    programs: [
      {
        actor: 'user',
        writer: 'spec-churn',
        ops: [{ do: 'set', target: WEB, path: ['data', 'wish'], value: 'more', via: 'update' }],
      },
      {
        actor: 'writer-1',
        writer: 'label-toucher',
        ops: [{ do: 'set', target, path: ['data', 'else'], value: 'mine', via: 'update' }],
      },
    ],
  };
}

describe('single deviations from a calm run', () => {
  it('fail each distinct write again and again, but no lease', () => {
    const h = historyBuilder();
    h.create('user', 'configmaps', { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'web' } });
    h.create('controller', 'leases.coordination.k8s.io', manifest('Lease', 'leader'));
    h.phase('contention');
    for (const value of ['a', 'b']) h.edit('controller', 'configmaps', 'web', ['data', 'done'], value);
    h.edit('controller', 'leases.coordination.k8s.io', 'leader', ['spec'], { holderIdentity: 'me' });
    h.phase('heal').phase('settle');
    const at = 'controller/update/configmaps/default/web#0!sent';

    expect(singleDeviations(h.build(), workload(), ['fail']).lastingFailures.map(({ faults }) => faults)).toEqual([
      [{ do: 'fail', status: 500, at, times: 9 }],
    ]);
    expect(singleDeviations(h.build(), workload(), ['crash']).lastingFailures).toEqual([]);
  });

  it('change an annotation before like writes again and again, from the last and from the first one on, after contention too', () => {
    const h = historyBuilder();
    h.create('user', 'configmaps', { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'web' } });
    h.phase('contention').phase('heal').phase('settle');
    for (const value of ['a', 'b']) h.edit('controller', 'configmaps', 'web', ['data', 'done'], value);
    const trials = singleDeviations(h.build(), workload(), [], { objects: [WEB], waits: true }).streaks;

    expect(trials).toHaveLength(2);
    for (const [index, { schedule, workload: changed }] of trials.entries()) {
      const [user, writer, toucher, ...more] = changed.programs;
      expect([user, writer]).toEqual(workload().programs);
      expect(more).toEqual([]);
      expect(new Set(toucher?.ops.map(({ target, afterMs = 0 }) => [target, afterMs >= 5_000]))).toEqual(
        new Set(Array.from({ length: 9 }, () => [WEB, true])),
      );
      expect(schedule.preemptions.slice(0, 2)).toEqual([
        { before: `controller/update/configmaps/default/web#${1 - index}!sent`, run: 'writer-2' },
        { before: `controller/update/configmaps/default/web#${2 - index}!sent`, run: 'writer-2' },
      ]);
      expect(schedule.preemptions).toHaveLength(9);
    }
    expect(singleDeviations(h.build(), workload(), []).streaks).toEqual([]);
    const inRealTime = singleDeviations(h.build(), workload(), [], { objects: [WEB], waits: false }).streaks;
    expect(JSON.stringify(inRealTime)).not.toContain('afterMs');
  });

  it('fail each write once as a fault of the server, and once as one of the caller', () => {
    const h = historyBuilder();
    h.create('user', 'configmaps', { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'web' } });
    h.phase('contention');
    h.edit('controller', 'configmaps', 'web', ['data', 'done'], 'a');
    h.phase('heal').phase('settle');
    const at = 'controller/update/configmaps/default/web#0!sent';

    expect(singleDeviations(h.build(), workload(), ['fail']).faults.map(({ faults }) => faults)).toEqual([
      [{ do: 'fail', status: 500, at }],
      [{ do: 'fail', status: 429, at }],
    ]);
  });

  it('fail each try to create an object under a generated name', () => {
    const h = historyBuilder();
    h.phase('contention');
    const { name: _, ...metadata } = manifest('Pod', '').metadata;
    for (let n = 0; n < 2; n++)
      h.create('controller', 'pods', {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { ...metadata, generateName: 'web-' },
      });
    h.phase('heal').phase('settle');
    const { lastingFailures } = singleDeviations(h.build(), workload(), ['fail']);

    expect(lastingFailures.map(({ faults }) => faults.map(({ at }) => at))).toEqual([
      Array.from({ length: 9 }, (_, n) => `controller/create/pods/default//web~${n}#0!sent`),
    ]);
  });

  it('let whoever has something left to do write the same object first, seen by the target and unseen', () => {
    const before = { before: 'controller/update/configmaps/default/web#0!sent', run: 'writer-1' };
    const { collisions } = singleDeviations(calm(), workload(), []);
    const lastHeard = Math.max(...calm().deliveries.map(({ k }) => k));

    // The user has finished, and no deviation applies to writes of the target after contention.
    expect(collisions).toMatchObject([
      { preemptions: [before], holds: [] },
      { preemptions: [before], holds: [{ stream: STREAM, from: `@${lastHeard}`, until: 'heal' }] },
    ]);
  });

  it('name those collisions in which the last of several like writes loses its race', () => {
    const h = historyBuilder();
    h.create('user', 'configmaps', { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'web' } });
    h.phase('contention');
    for (const value of ['a', 'b', 'c']) h.edit('controller', 'configmaps', 'web', ['data', 'done'], value);
    h.edit('writer-1', 'configmaps', 'web', ['data', 'else'], 'mine');
    h.phase('heal').phase('settle');
    const { collisions, lastCollisions } = singleDeviations(h.build(), workload(), []);

    expect(collisions.length).toBe(3);
    expect(lastCollisions.map(({ preemptions }) => preemptions)).toEqual([
      [{ before: 'controller/update/configmaps/default/web#2!sent', run: 'writer-1' }],
    ]);
  });

  it('know that a rival waits at the gate until it is its turn', () => {
    const h = historyBuilder();
    h.create('user', 'configmaps', { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'web' } });
    h.phase('contention');
    const patch = h.begin('writer-1', 'patch', 'configmaps', 'web', {
      body: { data: { else: 'mine' } },
      contentType: 'application/merge-patch+json',
    });
    h.edit('controller', 'configmaps', 'web', ['data', 'done'], 'more');
    patch.answer();
    h.phase('heal').phase('settle');

    expect(singleDeviations(h.build(), workload(), []).collisions[0]?.preemptions).toEqual([
      { before: 'controller/update/configmaps/default/web#0!sent', run: 'writer-1' },
    ]);
  });

  it('leave out those who write other objects', () => {
    expect(singleDeviations(calm('other'), workload('other'), []).collisions).toEqual([]);
  });

  it('silence each watch from each of its events on', () => {
    const { silences } = singleDeviations(calm('other'), workload('other'), []);
    const heard = calm('other').deliveries.length;

    expect(silences.map(({ holds }) => holds)).toEqual(
      Array.from({ length: heard }, (_, k) => [{ stream: STREAM, from: `@${k}`, until: 'heal' }]),
    );
    expect(heard).toBeGreaterThan(1);
  });

  it('tell the silences about kinds that the target writes from others', () => {
    const both = calm('other');
    const elsewhere = both.deliveries.map((one) => ({
      ...one,
      resource: 'secrets',
      stream: 'controller/watch/secrets/*#0',
    }));
    const { silences, staleWrites } = singleDeviations(
      { ...both, deliveries: [...both.deliveries, ...elsewhere] },
      workload('other'),
      [],
    );

    expect(staleWrites).toEqual(silences.filter(({ holds }) => holds[0]?.stream === STREAM));
    expect(silences).toHaveLength(2 * staleWrites.length);
  });

  it.each<[FaultKind, string]>([
    ['fail', 'controller/update/configmaps/default/web#0!sent'],
    ['refuse', 'controller/update/configmaps/default/web#0!sent'],
    ['crash', 'controller/update/configmaps/default/web#0!answered'],
    ['lose-response', 'controller/update/configmaps/default/web#0!answered'],
    ['close-watch', `${STREAM}/web@0`],
    ['expire-watch', `${STREAM}/web@0`],
    ['black-hole', 'controller/update/configmaps/default/web#0!answered'],
    ['latency', 'controller/update/configmaps/default/web#0!answered'],
  ])('use a fault that may be used, alone, where it can happen: %s', (kind, at) => {
    const { faults } = singleDeviations(calm(), workload(), [kind]);

    expect(faults[0]?.faults).toMatchObject([{ do: kind, at }]);
    for (const schedule of faults) expect(scheduleSize(schedule)).toBe(1);
  });

  it('delay each event for as long as may be, each write and its answer also by less than clients wait', () => {
    const { delays, faults } = singleDeviations(calm(), workload(), ['delay']);
    const update = 'controller/update/configmaps/default/web#0';
    const late = delays.flatMap((schedule) => schedule.faults);

    expect(faults).toEqual([]);
    expect(late).toContainEqual({ do: 'delay', forMs: 600_000, at: `${STREAM}/web@0` });
    expect(late).toContainEqual({ do: 'delay', forMs: 60_000, at: `${update}!sent` });
    expect(late).toContainEqual({ do: 'delay', forMs: 60_000, at: `${update}!answered` });
    expect(late).toContainEqual({ do: 'delay', forMs: 2_000, at: `${update}!answered` });
    expect(singleDeviations(calm(), workload(), []).delays).toEqual([]);
  });

  it('end a watch, and let the list or watch with which the target recovers fail as well', () => {
    const { recoveries } = singleDeviations(calm(), workload(), ['fail', 'close-watch', 'expire-watch']);
    const list = 'controller/list/configmaps/default/*';
    const at = `${STREAM}/web@0`;
    const watch = { do: 'fail', status: 500, at: 'controller/watch/configmaps/default#1!sent' };

    expect(recoveries.map(({ schedule }) => schedule.faults)).toEqual([
      [
        { do: 'expire-watch', at },
        { do: 'fail', status: 500, at: `${list}#0!sent`, times: 9 },
      ],
      [{ do: 'expire-watch', at }, watch],
      [{ do: 'close-watch', at }, watch],
      [{ do: 'close-watch', at }, watch],
    ]);
    expect(singleDeviations(calm(), workload(), ['close-watch', 'expire-watch']).recoveries).toEqual([]);
    expect(singleDeviations(calm(), workload(), ['fail']).recoveries).toEqual([]);
  });

  it('let the user take the last change back a minute after a new list, which shows whether the next watch is open', () => {
    const sample = [{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'web' }, data: { wish: 'less' } }];
    const base = { ...workload(), sample };
    const all = ['fail', 'close-watch', 'expire-watch'] as const;
    const later = (waits: boolean) =>
      singleDeviations(calm(), base, all, { objects: [], waits }).recoveries.map(({ workload: { programs } }) =>
        programs[0]?.ops.slice(1),
      );
    const back = { ...base.programs[0]?.ops[0], value: 'less', afterMs: 60_000 };

    expect(later(true)).toEqual([[], [back], [], [back]]);
    expect(later(false)).toEqual([[], [], [], []]);
  });

  it('let another writer and its event come between a write and its answer', () => {
    const update = 'controller/update/configmaps/default/web#0';

    expect(singleDeviations(calm(), workload(), ['delay']).overtakenAnswers).toMatchObject([
      {
        preemptions: [{ before: `${update}!answered`, run: 'writer-1' }],
        faults: [{ do: 'delay', forMs: 2_000, at: `${update}!answered` }],
      },
    ]);
    expect(singleDeviations(calm('other'), workload('other'), ['delay']).overtakenAnswers).toEqual([]);
    expect(singleDeviations(calm(), workload(), []).overtakenAnswers).toEqual([]);
  });

  it('tell apart the late events that keep from the target what it has created itself', () => {
    const h = historyBuilder();
    h.phase('contention');
    h.create('user', 'configmaps', { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'web' } });
    h.deliver('controller', 'configmaps');
    h.create('controller', 'configmaps', { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'made' } });
    h.deliver('controller', 'configmaps');
    h.edit('controller', 'configmaps', 'made', ['data', 'done'], 'yes');
    h.deliver('controller', 'configmaps');
    h.phase('heal').phase('settle');
    const history = h.build();

    const { unseenCreates } = singleDeviations(history, workload(), ['delay']);

    expect(unseenCreates.flatMap(({ faults }) => faults)).toEqual([
      { do: 'delay', forMs: 600_000, at: `${STREAM}/made@1` },
    ]);
    expect(singleDeviations(history, workload(), []).unseenCreates).toEqual([]);
  });

  it.each<FaultKind>(['pause', 'start-replica', 'stale-list'])('leave %s to the strategies that know when', (kind) => {
    expect(singleDeviations(calm(), workload(), [kind]).faults).toEqual([]);
  });
});
