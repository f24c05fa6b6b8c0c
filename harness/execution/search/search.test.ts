import * as fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import type { JsonObject } from 'stalemate-apiserver/objects/object';
import type { InconclusiveRun } from '../../model/finding.ts';
import { outcomeBesides } from '../../model/outcome.ts';
import type { Trial } from '../../model/trial.ts';
import type { Workload } from '../../model/workload.ts';
import { CutShort } from '../run/cut-short.ts';
import { ENDLESS } from '../time-plan.ts';
import { isEnough } from './enough.ts';
import { takeReferences } from '../run/references.ts';
import { MODULE_MODE, REAL_MODE, type RunMode } from '../run/run-mode.ts';
import { search } from './search.ts';
import type { SearchSettings } from './search-settings.ts';
import { newTally, type SearchTally } from './tally.ts';
import type { Found } from './found.ts';
import type { SearchOptions } from './search.ts';
import { nobodyLabels, property, violation } from '../run/test-verdicts.ts';
import { label, runnerOf, setPhase, setReady, thinTarget, workload } from '../run/testing.ts';
import type { Reconcile } from '../run/testing.ts';

const QUIET = { actor: 'user', writer: 'user', ops: [] } as const;
const LABELS = { actor: 'writer-1', writer: 'label-toucher', ops: [label('x'), label('y')] } as const;

const SETTINGS: SearchSettings = {
  ...{ seed: 3, writers: [], faults: ['crash'], strategies: null, start: null, verifyEvery: 10 },
  ...{
    stopAfter: Number.POSITIVE_INFINITY,
    expected: [],
    waivers: [],
    allSymptoms: false,
    shrinkMs: null,
    needsLock: false,
  },
};

const workloads: fc.Arbitrary<Workload> = fc.constantFrom(workload([QUIET]), workload([QUIET, LABELS], 'empty'));

async function campaign(
  { settings, ...options }: Partial<Omit<SearchOptions, 'settings'>> & { settings?: Partial<SearchSettings> } = {},
  reconcile: Reconcile = setReady,
  mode?: RunMode,
): Promise<{ readonly tally: SearchTally; readonly found: readonly Found[]; readonly trials: readonly Trial[] }> {
  const runner = runnerOf(thinTarget(reconcile));
  const references = await takeReferences(runner, workload(), []);
  if (mode !== undefined) vi.spyOn(runner, 'mode', 'get').mockReturnValue(mode);
  const tally = newTally();
  const found: Found[] = [];
  const trials: Trial[] = [];
  await search(
    {
      runner,
      references,
      base: workload(),
      properties: [nobodyLabels],
      workload: workloads,
      settings: { ...SETTINGS, ...settings },
      firstRun: 0,
      runsMax: 30,
      plan: ENDLESS,
      cutAt: (_, work) => work(),
      known: [],
      onTrial: (_, trial) => trials.push(trial),
      onSeen: () => {},
      onSettled: () => {},
      onFinding: (one) => found.push(one),
      onInconclusive: () => {},
      onPhase: () => {},
      stopped: () => false,
      ...options,
    },
    tally,
  );
  return { tally, found, trials };
}

describe('a search', () => {
  it('finds, shrinks and reproduces a violation, tells it once and goes on to the end of its budget', async () => {
    const { tally, found } = await campaign();

    expect(tally.runs).toBe(30);
    expect(found).toHaveLength(1);
    expect(found[0]?.trial.workload.programs).toMatchObject([{ actor: 'writer-1', ops: [{ do: 'set' }] }]);
    expect(found[0]?.stats).toMatchObject({ reproduced: { k: 5, n: 5 }, faults: 0, preemptions: 0, grade: 'everyday' });
    expect(Object.values(tally.counts)[0]).toBeGreaterThan(1);
    expect(tally.perProperty['test']).toMatchObject({ violated: Object.values(tally.counts)[0], inconclusive: 0 });
    expect(tally).toMatchObject({ divergence: undefined, faults: [], verified: 8 });
  });

  const patient: RunMode = { ...MODULE_MODE, proof: { ...MODULE_MODE.proof, exploresFirst: true } };

  it('tests enough before it shrinks what it has seen, where proofs are expensive', async () => {
    const phases: string[] = [];
    let runs = 0;
    const options: Partial<SearchOptions> = {
      runsMax: 80,
      onTrial: () => runs++,
      onPhase: (phase) => phases.push(`${phase} after ${runs}`),
      onSeen: () => phases.push(`seen after ${runs}`),
    };

    const { tally, found } = await campaign(options, setReady, patient);

    expect(found).toHaveLength(1);
    expect(found[0]?.stats.reproduced).toEqual({ k: 5, n: 5 });
    const [seen, shrink] = phases.map((phase) => Number(/\d+/.exec(phase)?.[0]));
    expect(phases.slice(0, 4).map((phase) => phase.replace(/ .*/, ''))).toEqual([
      'seen',
      'shrink',
      'seen',
      'reproduce',
    ]);
    expect(seen).toBeLessThan(20);
    expect(shrink).toBeGreaterThanOrEqual(20);
    expect(tally.runs).toBe(80);
    // All runs that showed the cause are counted, before and after it was shrunk.
    expect(Object.values(tally.causes)).toEqual(Object.values(tally.counts));
  });

  it('shrinks what it has seen once its budget ends, however little it has tested', async () => {
    const { tally, found } = await campaign({ runsMax: 12 }, setReady, patient);

    expect(found).toHaveLength(1);
    expect(tally.runs).toBe(12);
  });

  it('explores no longer than until the findings that it was asked for', async () => {
    const { tally, found } = await campaign({ runsMax: 80, settings: { stopAfter: 1 } }, setReady, patient);

    expect(found).toHaveLength(1);
    expect(tally.runs).toBeLessThan(20);
  });

  it('makes further trials while a lane still judges one of the exploration', async () => {
    const runner = runnerOf(thinTarget(setReady));
    vi.spyOn(runner, 'mode', 'get').mockReturnValue(patient);
    const slow = Promise.withResolvers<undefined>();
    const cut = (): Promise<never> => slow.promise.then(() => Promise.reject(new CutShort('its time was over', true)));
    const stuck = Object.assign(Object.create(runner) as typeof runner, { run: cut, derive: cut });
    runner.lanes = () => Promise.resolve([runner, stuck]);
    let isSeen = false;
    let further = 0;

    const { found } = await campaign({
      runner,
      settings: { stopAfter: 1 },
      onSeen: () => (isSeen = true),
      onTrial: () => {
        if (isSeen && ++further === 3) slow.resolve(undefined);
      },
    });

    expect(further).toBeGreaterThanOrEqual(3);
    expect(found).toHaveLength(1);
  });

  it('looks into no warning, and tells how many runs showed it', async () => {
    const warns = property(() => ({ result: 'violated', violations: [{ ...violation(), severity: 'warning' }] }));
    const { tally, found } = await campaign({ properties: [warns], runsMax: 8 });

    expect(found).toEqual([]);
    expect(Object.values(tally.remarks)).toMatchObject([{ sentence: 'the target lost it', count: 8 }]);
  });

  it('tries the same trials again from the same seed', async () => {
    const one = await campaign({ runsMax: 8 });

    expect((await campaign({ runsMax: 8 })).trials).toEqual(one.trials);
    expect((await campaign({ runsMax: 8, settings: { seed: 4 } })).trials).not.toEqual(one.trials);
  });

  it('stops after the findings it was asked for, or when told', async () => {
    const first = await campaign({ settings: { stopAfter: 1 } });
    const none = await campaign({ stopped: () => true });

    expect(first.found).toHaveLength(1);
    expect(first.tally.runs).toBeLessThan(30);
    expect(none.tally.runs).toBe(0);
  });

  it('ends before its budget once enough has been put to the test, if it may', async () => {
    const followsLabel: Reconcile = async (widget, send) => {
      const team = widget.metadata.labels?.['team'] ?? 'none';
      if ((widget['status'] as JsonObject | undefined)?.['phase'] !== team) await setPhase(widget, team, send);
    };
    const options = {
      plan: { ...ENDLESS, enough: 0 },
      properties: [],
      runsMax: 400,
      workload: fc.constant(workload([QUIET, LABELS])),
    };
    const { tally } = await campaign(options, followsLabel);
    const quiet = await campaign({ ...options, runsMax: 25, workload: fc.constant(workload([QUIET])) }, followsLabel);

    expect(isEnough(tally)).toBe(true);
    expect(tally.runs).toBeLessThan(400);
    expect(quiet.tally.runs).toBe(25);
  });

  it('counts a signature that is known already without shrinking it again', async () => {
    const { tally } = await campaign();

    const again = await campaign({ known: Object.keys(tally.counts).map((key) => ({ key, signatures: [key] })) });

    expect(again.found).toEqual([]);
    expect(Object.keys(again.tally.counts)).toEqual(Object.keys(tally.counts));
    expect(Object.values(again.tally.counts)[0]).toBeGreaterThan(1);
  });

  it('counts runs that differ from others without any disturbance as inconclusive, and finds nothing', async () => {
    const differs = property(() => ({ result: 'violated', violations: [violation()] }));

    const { tally, found } = await campaign({ properties: [{ ...differs, comparesRuns: true }], runsMax: 4 });

    expect(found).toEqual([]);
    expect({ runs: tally.runs, inconclusive: tally.inconclusiveRuns }).toEqual({ runs: 4, inconclusive: 4 });
    expect(tally.inconclusive).toEqual({ 'test: two runs without any fault gave different results': 4 });
    const made = {
      runs: 4,
      interrupted: false,
      diverged: false,
      contention: { conflicts: 9 },
      contended: true,
      left: [],
    };
    expect(outcomeBesides({ ...made, inconclusiveRuns: tally.inconclusiveRuns, perProperty: tally.perProperty })).toBe(
      'inconclusive',
    );
    expect(tally.warnings).toEqual(['two runs without any fault gave different results: the target lost it']);
  });

  it('counts a run as one without an opinion, however much of it never comes back', async () => {
    let judged = 0;
    const fields = property(() =>
      judged++ > 0 ? { result: 'holds' } : { result: 'violated', violations: [violation(), violation({ field: 'b' })] },
    );

    const { tally, found } = await campaign({ properties: [fields], runsMax: 1, firstRun: 0 }, setReady, REAL_MODE);

    expect(found).toEqual([]);
    expect(Object.values(tally.inconclusive)).toEqual([2]);
    expect({ runs: tally.runs, inconclusive: tally.inconclusiveRuns }).toEqual({ runs: 1, inconclusive: 1 });
  });

  it('ends at once when two runs of one trial differ', async () => {
    let runs = 0;

    const { tally } = await campaign({ properties: [] }, async (widget, send) => {
      await setReady(widget, send);
      await send('GET', `/api/v1/namespaces/default/configmaps/c${runs++}`);
    });

    expect(tally.divergence).toContain('configmaps');
    expect(tally.runs).toBe(1);
  });

  it('shrinks to nothing that a waiver covers: it would hide what is not', async () => {
    const both = workload([QUIET, LABELS, { ...LABELS, actor: 'writer-2', writer: 'autoscaler' }], 'empty');
    const first = property(({ operations }) => {
      const write = operations.find(({ actor, verb }) => actor.startsWith('writer-') && verb === 'update');
      return write === undefined
        ? { result: 'holds' }
        : { result: 'violated', violations: [{ ...violation(), operations: [write.id] }] };
    });
    const waivers = ['label-toucher', 'autoscaler'].map((writer) => ({
      ...{ property: 'test', writer, reason: 'known', expires: '2999-12-31' },
    }));

    for (const waiver of waivers) {
      const { found } = await campaign({
        properties: [first],
        workload: fc.constant(both),
        settings: { waivers: [waiver] },
      });
      const writers = found.map(({ trial }) => trial.workload.programs.map(({ writer }) => writer));

      expect(writers).toHaveLength(1);
      expect(writers[0]).not.toEqual(expect.arrayContaining([waiver.writer]));
    }
  });

  it('counts no run that was cut short, and says how many there were', async () => {
    const runner = runnerOf(thinTarget(setReady));
    const run = runner.run.bind(runner);
    let isOver = false;
    runner.run = (...trial) => {
      if (!isOver) return run(...trial);
      return Promise.reject(new CutShort('its time was over', true));
    };

    const { tally } = await campaign({ runner, stopped: () => isOver, onTrial: (made) => (isOver = made === 3) });

    expect(tally).toMatchObject({ runs: 3, inconclusiveRuns: 0, left: [{ what: 'runs', count: 1 }] });
  });

  it('counts no run whose judging was cut short before anything was proved', async () => {
    const runner = runnerOf(thinTarget(setReady));
    runner.beside = () => Promise.reject(new CutShort('its time was over', true));
    let isOver = false;
    const needs = [{ probe: 'fresh-incarnation' }] as const;
    const asks = property(() => ({ result: 'inconclusive', reason: 'not yet', needs }));

    const { tally } = await campaign({
      runner,
      properties: [asks],
      stopped: () => isOver,
      onTrial: () => (isOver = true),
    });

    expect(tally).toMatchObject({ runs: 0, inconclusiveRuns: 0, inconclusive: {}, left: [{ what: 'runs', count: 1 }] });
  });

  it('counts what has no opinion by its reason, and hands out the first run of each', async () => {
    const undecided = property(() => ({ result: 'inconclusive', reason: 'too dark' }));
    const unjudged: InconclusiveRun[] = [];

    const { tally, found } = await campaign({
      properties: [undecided],
      runsMax: 4,
      onInconclusive: (run) => unjudged.push(run),
    });

    expect(found).toEqual([]);
    expect(unjudged).toMatchObject([{ property: 'test', reason: 'too dark', history: { version: 1 } }]);
    expect(tally).toMatchObject({ inconclusiveRuns: 4, inconclusive: { 'test: too dark': 4 } });
  });
});
