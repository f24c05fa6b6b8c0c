import { describe, expect, it } from 'vitest';
import type { ProbeResult } from '../../model/probe.ts';
import { EMPTY_SCHEDULE } from '../../model/schedule.ts';
import type { Trial } from '../../model/trial.ts';
import { unchangedMs } from '../../oracle/rest.ts';
import { judgeRun } from './judge.ts';
import { Prober } from './prober.ts';
import { takeReferences } from './references.ts';
import { property } from './test-verdicts.ts';
import {
  label,
  runnerOf,
  setPhase,
  setReady,
  thinTarget,
  time,
  workload,
  type Reconcile,
  type Send,
} from './testing.ts';
import type { LeftAlone, Live } from './live.ts';

const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';
const TRIAL: Trial = {
  workload: workload([{ actor: 'writer-1', writer: 'test', ops: [label('x')] }]),
  schedule: EMPTY_SCHEDULE,
};

/** Sets the status of a widget half a minute after the target has received it. */
const late: Reconcile = (widget, send) =>
  new Promise<void>((resolve, reject) => {
    setTimeout(() => void setReady(widget, send).then(resolve, reject), 30_000);
  });

async function atRest<T>(reconcile: Reconcile, look: (live: Live) => Promise<T>, lookRealMs?: number): Promise<T> {
  const seen: T[] = [];
  const runner = runnerOf(thinTarget(reconcile));
  const { lookOn, ...mode } = runner.host.mode;
  if (lookRealMs !== undefined && lookOn !== null)
    Object.assign(runner.host, { mode: { ...mode, lookOn: { ...lookOn, realMs: lookRealMs } } });
  await runner.run(TRIAL, { atRest: async (live) => void seen.push(await look(live)) });
  const [first] = seen;
  if (first === undefined) throw new Error('nobody looked');
  return first;
}

describe('a run that still stands', () => {
  it('shows the same history as one that has ended', async () => {
    const ended = await runnerOf(thinTarget(setReady)).run(TRIAL);

    const standing = await atRest(setReady, (live) => Promise.resolve(live.history));

    expect(standing).toEqual(ended);
  });

  it('does not go on once its real time is used up', async () => {
    const { windowMs, history } = await atRest(late, (live) => live.settleOn(60_000), 0);

    expect(windowMs).toBe(0);
    expect(history.revisions.some(({ actor }) => actor === 'controller')).toBe(false);
  });

  it('goes on for as long as it is asked to, without changing what was shown before', async () => {
    const [before, later, again] = await atRest(late, async (live) => {
      const { history } = live;
      return [history, await live.settleOn(60_000), await live.settleOn(1_000)] as const;
    });

    expect(before.revisions.some(({ actor }) => actor === 'controller')).toBe(false);
    expect(later.windowMs).toBe(60_000);
    expect(later.history.revisions.some(({ actor }) => actor === 'controller')).toBe(true);
    expect(again).toBe(later);
  });

  it('that is at work for minutes after its disturbance comes to rest where that takes no time', async () => {
    let begun: number | undefined;
    const busy: Reconcile = async (widget, send) => {
      begun ??= time.now();
      if (time.now() < begun + 1_500_000) {
        setTimeout(() => void setPhase(widget, `at ${time.now()}`, send), 20_000);
        return;
      }
      await setReady(widget, send);
    };
    const later = await atRest(busy, (live) => live.settleOn(600_000));

    expect(later.history.settlement.result).toBe('quiescent');
  });

  it.each([120_000, 1_200_000])(
    'that only polls is observed for no longer than shows that, in %i ms',
    async (windowMs) => {
      let isPolling = false;
      const polls: Reconcile = async (widget, send) => {
        await setReady(widget, send);
        if (isPolling) return;
        isPolling = true;
        const again = (): void =>
          void setTimeout(() => void send('GET', '/api/v1/namespaces/default/configmaps').then(again, again), 5_000);
        again();
      };

      const [beganMs, { history }, endedMs] = await atRest(
        polls,
        async (live) => [time.now(), await live.settleOn(windowMs), time.now()] as const,
      );

      const neededMs = Math.max(300_000, windowMs);
      expect(history.settlement.result).toBe('time-exceeded');
      expect(unchangedMs(history)).toBeGreaterThanOrEqual(neededMs);
      expect(endedMs - beganMs).toBeLessThan(neededMs + 60_000);
    },
  );

  it('is taken over by a fresh incarnation', async () => {
    const history = await atRest(setReady, (live) => live.takeOver());

    expect(history.processes.map(({ kind }) => kind)).toContain('stopped');
    expect(history.settlement.result).toBe('quiescent');
  });

  it('is looked at again after a little more time, then after more, and only then taken over', async () => {
    const runner = runnerOf(thinTarget(setReady));
    const { reference } = await takeReferences(runner, workload(), []);
    const prober = new Prober((trial, variant) => runner.run(trial, variant), workload(), reference);
    let probes: readonly ProbeResult[] = [];
    const curious = property((history) => {
      ({ probes } = history);
      const longest = Math.max(0, ...probes.map((probe) => (probe.probe === 'extended-settle' ? probe.windowMs : 0)));
      if (longest < 20_000) {
        const needs = [{ probe: 'fresh-incarnation' }, { probe: 'extended-settle', windowMs: 20_000 }] as const;
        return { result: 'inconclusive', reason: 'not yet', needs };
      }
      if (probes.some(({ probe }) => probe === 'fresh-incarnation')) return { result: 'holds' };
      return { result: 'inconclusive', reason: 'not yet', needs: [{ probe: 'fresh-incarnation' }] };
    });

    await runner.run(TRIAL, {
      atRest: async (live) => void (await judgeRun(TRIAL, live.history, [curious], reference, prober, live)),
    });

    expect(probes.map((probe) => (probe.probe === 'extended-settle' ? probe.windowMs : probe.probe))).toEqual([
      1_500,
      8_000,
      20_000,
      'fresh-incarnation',
    ]);
    expect(prober.runs).toBe(0);
    expect(time.next()).toBeUndefined();
  });

  it('is left alone before it is taken over, and shows what its resync changes', async () => {
    const resyncs = (send: Send): void => {
      setInterval(() => void send('POST', CONFIG_MAPS, { metadata: { generateName: 'late-' } }), 1_800_000);
    };
    const runner = runnerOf(thinTarget(setReady, resyncs));
    const { reference } = await takeReferences(runner, workload(), []);
    const prober = new Prober((trial, variant) => runner.run(trial, variant), workload(), reference);
    let probes: readonly ProbeResult[] = [];
    const curious = property((history) => {
      ({ probes } = history);
      const asked = [{ probe: 'fresh-incarnation' }, { probe: 'left-alone', ms: 3_700_000 }] as const;
      const needs = asked.filter(({ probe }) => probes.every((made) => made.probe !== probe));
      return needs.length === 0 ? { result: 'holds' } : { result: 'inconclusive', reason: 'not yet', needs };
    });
    let afterwards: LeftAlone | undefined;

    await runner.run(TRIAL, {
      atRest: async (live) => {
        await judgeRun(TRIAL, live.history, [curious], reference, prober, live);
        afterwards = await live.leaveAlone(1_000);
      },
    });

    expect(probes).toMatchObject([{ probe: 'left-alone', ms: 3_700_000 }, { probe: 'fresh-incarnation' }]);
    const [alone] = probes;
    const made =
      alone?.probe === 'left-alone' ? alone.final.filter(({ metadata }) => metadata.name?.startsWith('late-')) : [];
    expect(made).toHaveLength(2);
    expect(alone).toMatchObject({ changedMs: expect.closeTo(3_600_000, -4) });
    expect(afterwards).toBeUndefined();
  });

  it('is left alone for a part of the time if it does very much', async () => {
    const polls = (send: Send): void => void setInterval(() => void send('GET', CONFIG_MAPS), 1_000);
    const runner = runnerOf(thinTarget(setReady, polls));
    let alone: LeftAlone | undefined;

    await runner.run(TRIAL, { atRest: async (live) => void (alone = await live.leaveAlone(3_600_000)) });

    expect(alone?.ms).toBeGreaterThan(300_000);
    expect(alone?.ms).toBeLessThan(3_600_000);
  });

  it('shows from then on which differences its workload ends with undisturbed', async () => {
    // Uses the label that the widget had when the incarnation first saw it, so that a fresh copy ends in another phase.
    const runner = runnerOf((...given) => {
      let first: string | undefined;
      return thinTarget(async (widget, send) => {
        first ??= widget.metadata.labels?.['team'] ?? 'none';
        await setPhase(widget, first, send);
      })(...given);
    });
    const { reference } = await takeReferences(runner, workload(), []);
    const prober = new Prober((trial, variant) => runner.run(trial, variant), workload(), reference);
    const look = async (live?: Live): Promise<readonly ProbeResult[]> => {
      const run = live?.history ?? (await runner.run(TRIAL));
      await prober.probe({ probe: 'undisturbed' }, TRIAL, { ...run, reference, probes: [] }, live);
      return prober.known(run).filter(({ probe }) => probe === 'known-undisturbed');
    };

    expect(await look()).toEqual([]);
    let known: readonly ProbeResult[] = [];
    await runner.run(TRIAL, { atRest: async (live) => void (known = await look(live)) });

    expect(known).toEqual([{ probe: 'known-undisturbed', kinds: ['wrong-value widgets.example.com/a status.phase'] }]);
  });

  it('says so when the search has no time left to look longer', async () => {
    const runner = runnerOf(thinTarget(setReady));
    const { reference } = await takeReferences(runner, workload(), []);
    const patience = { leftMs: () => 0, spend: () => {} };
    const prober = new Prober((trial, variant) => runner.run(trial, variant), workload(), reference, patience);
    const needs = [{ probe: 'extended-settle', windowMs: 20_000 }] as const;
    const slow = property(() => ({ result: 'inconclusive', reason: 'not yet', needs }));
    const reasons: (string | undefined)[] = [];

    await runner.run(TRIAL, {
      atRest: async (live) => {
        const { history } = live;
        const settleOn: Live['settleOn'] = (windowMs) => live.settleOn(windowMs);
        const onTheWall: Live = {
          ...{ history, settleOn, waitsForReal: true },
          takeOver: () => live.takeOver(),
          lookOn: () => live.lookOn(),
          liveOn: (ms) => live.liveOn(ms),
          leaveAlone: (ms) => live.leaveAlone(ms),
        };
        const { inconclusive } = await judgeRun(TRIAL, history, [slow], reference, prober, onTheWall);
        reasons.push(inconclusive.get('test'));
      },
    });

    expect(reasons).toEqual(['not yet: the search had no time left for a longer run; give it a longer --budget']);
  });
});
