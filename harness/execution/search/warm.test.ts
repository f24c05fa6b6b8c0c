/** Tests runs that share one process of the target. */
import { describe, expect, it } from 'vitest';
import { phaseStart, type History } from '../../model/history.ts';
import { EMPTY_SCHEDULE } from '../../model/schedule.ts';
import type { Trial } from '../../model/trial.ts';
import { checkLegality } from '../../oracle/assumptions.ts';
import type { TrialRunner } from '../run/runner.ts';
import { Prober } from '../run/prober.ts';
import { takeReferences } from '../run/references.ts';
import type { Property } from '../../oracle/property.ts';
import { Waiting } from './waiting.ts';
import { runWarm } from './warm.ts';
import { label, runnerOf, thinTarget, withChild, workload } from '../run/testing.ts';
import type { Launch } from '../run/host.ts';

const TRIAL: Trial = {
  workload: workload([{ actor: 'writer-1', writer: 'label-toucher', ops: [label('once')] }]),
  schedule: EMPTY_SCHEDULE,
};
function counting(): { readonly runner: TrialRunner; readonly launches: () => number } {
  const launch = thinTarget(withChild);
  let launches = 0;
  const counted: Launch = (...args) => {
    launches++;
    return launch(...args);
  };
  return { runner: runnerOf(counted), launches: () => launches };
}

async function warm(runner: TrialRunner, trial: Trial): Promise<History> {
  return (await runner.deriveWarm(trial, { atRest: () => Promise.resolve() })).history;
}

/** Returns the records of a run, without the numbers that rise from run to run. */
function recordOf(history: History): unknown {
  const { phases, decisions, processes, settlement, steps, missed, names } = history;
  return {
    ...{ phases, decisions, processes, settlement, steps, missed, names: Object.values(names) },
    operations: history.operations.map(({ id, label: of, verb, invoked, sent, answered, outcome, committed }) => ({
      ...{ id, of, verb, invoked, sent, answered, outcome: outcome.type, committed: committed.length },
    })),
    revisions: history.revisions.map(({ at, timeMs, type, resource, name, op, actor }) => {
      return { at, timeMs, type, resource, name, op, actor };
    }),
    deliveries: history.deliveries.map(({ at, timeMs, stream, k, type, available }) => {
      return { at, timeMs, stream, k, type, available };
    }),
    streamEnds: history.streamEnds,
  };
}

/** Returns what has happened since contention began, in order. */
function sinceContention(history: History): readonly string[] {
  const since = phaseStart(history, 'contention');
  const happened = [
    ...history.operations.flatMap(({ label: of, sent, outcome }) => {
      return sent === undefined ? [] : [{ at: sent.at, what: `${of} ${outcome.type}` }];
    }),
    ...history.deliveries.map(({ at, stream, k, type }) => ({ at, what: `${stream}@${k} ${type}` })),
    ...history.revisions.map(({ at, type, name, actor }) => ({ at, what: `${actor} ${type} ${name}` })),
  ];
  return happened
    .filter(({ at }) => at > since)
    .toSorted((a, b) => a.at - b.at)
    .map(({ what }) => what);
}

describe('a warm run', () => {
  it('goes on with the same life, on a cluster that is as empty as before, at higher versions', async () => {
    const { runner, launches } = counting();

    const histories = [await warm(runner, TRIAL), await warm(runner, TRIAL), await warm(runner, TRIAL)];

    expect(launches()).toBe(1);
    const created = histories.map(({ revisions }) =>
      revisions.filter(({ type }) => type === 'ADDED').map(({ resource, name }) => `${resource}/${name}`),
    );
    expect(created[1]).toEqual(created[0]);
    expect(created[2]).toEqual(created[0]);
    expect(histories[2]?.revisions[0]?.revision).toBeGreaterThan(histories[1]?.revisions.at(-1)?.revision ?? 0);
  });

  it('has a history of its own, that is legal and begins with the watches that go on', async () => {
    const { runner } = counting();
    await warm(runner, TRIAL);

    const second = await warm(runner, TRIAL);

    expect(checkLegality(second)).toEqual([]);
    expect(second.operations.find(({ verb }) => verb === 'watch')).toMatchObject({ outcome: { type: 'ok' } });
    expect(second.deliveries.map(({ k }) => k).filter((k) => k === 0)).not.toEqual([]);
  });

  it('names everything as a fresh one does', async () => {
    const { runner } = counting();
    const labelsOf = ({ operations }: History): readonly string[] =>
      operations.filter(({ label: of, verb }) => verb !== 'watch' && !of.endsWith('!setup')).map(({ label: of }) => of);
    const fresh = await runner.run(TRIAL);
    await warm(runner, TRIAL);

    expect(labelsOf(await warm(runner, TRIAL))).toEqual(labelsOf(fresh));
  });

  it('records the same as the run before it for the same trial, except versions and uids', async () => {
    const { runner } = counting();
    const fresh = await warm(runner, TRIAL);

    const [second, third] = [await warm(runner, TRIAL), await warm(runner, TRIAL)];

    expect(recordOf(third)).toEqual(recordOf(second));
    // Only a fresh process starts during the setup of its run.
    expect(sinceContention(second)).toEqual(sinceContention(fresh));
  });

  it('is no run that a property without an opinion held in', async () => {
    const { runner } = counting();
    const silent: Property = {
      name: 'silent',
      kind: 'safety',
      about: '',
      check: () => ({ result: 'inconclusive', reason: 'unknown' }),
    };
    const references = await takeReferences(runner, TRIAL.workload, []);
    const prober = new Prober(() => runner.run(TRIAL), TRIAL.workload, references.reference, new Waiting(0, 1));

    const { judged } = await runWarm(runner, TRIAL, [silent], references.reference, prober);

    expect(judged?.inconclusive).toEqual(new Map([['silent', 'unknown']]));
  });

  it('starts anew after a crash', async () => {
    const { runner, launches } = counting();
    const { deliveries } = await warm(runner, TRIAL);
    const { stream = '', object } = deliveries.find(({ k }) => k === 0) ?? {};
    const at = `${stream}/${object?.metadata.name ?? ''}@0`;

    const crashed = await warm(runner, { ...TRIAL, schedule: { ...EMPTY_SCHEDULE, faults: [{ do: 'crash', at }] } });
    const before = launches();
    const next = await warm(runner, TRIAL);

    expect(crashed.processes.map(({ kind }) => kind)).toContain('crashed');
    expect(launches()).toBe(before + 1);
    expect(next.settlement.result).toBe('quiescent');
  });
});
