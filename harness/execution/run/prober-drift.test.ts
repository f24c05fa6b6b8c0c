/** The drift probe: which changes of other clients does the target revert, undisturbed? */
import { describe, expect, it } from 'vitest';
import { WIDGETS_PATH } from 'stalemate-apiserver/testing';
import type { ProbeRequest } from '../../model/probe.ts';
import type { Trial } from '../../model/trial.ts';
import type { ProgramOp } from '../../model/workload.ts';
import { labelled, proberOf, QUIET } from './test-prober.ts';
import { label, restless, setReady, WIDGET, workload } from './testing.ts';

describe('the drift probe', () => {
  function drift(leaf: string, op: ProgramOp, value: string): ProbeRequest {
    return { probe: 'drift', role: 'widgets.example.com:a', leaves: [leaf], value, op };
  }
  const broken = drift(
    'status.phase',
    {
      do: 'set',
      target: WIDGET,
      subresource: 'status',
      path: ['status', 'phase'],
      value: 'broken',
      via: 'merge-patch',
    },
    'broken',
  );
  const team = drift('metadata.labels.team', label('mine'), 'mine');

  it('tells what the target reverts from what it keeps', async () => {
    const { prober, runner } = await proberOf(setReady);
    const history = await runner.run(QUIET);

    expect(await prober.probe(broken, QUIET, history)).toMatchObject({ reverted: ['status.phase'] });
    expect(await prober.probe(team, QUIET, history)).toMatchObject({ reverted: [] });
  });

  it('makes its write also where the target never pauses', async () => {
    const { prober, runner } = await proberOf(restless());

    expect(await prober.probe(team, QUIET, await runner.run(QUIET))).toMatchObject({ reverted: [] });
    expect(await prober.probe(broken, QUIET, await runner.run(QUIET))).toMatchObject({ reverted: ['status.phase'] });
  });

  it('takes a write that had no effect for reverted, as it proves nothing', async () => {
    const { prober, runner } = await proberOf(setReady);
    const same: ProbeRequest = drift(
      'spec.size',
      { do: 'set', target: WIDGET, path: ['spec', 'size'], value: 1, via: 'merge-patch' },
      '1',
    );

    expect(await prober.probe(same, QUIET, await runner.run(QUIET))).toMatchObject({ reverted: ['spec.size'] });
  });

  it('makes the user’s changes as well: some targets replace a label only when the spec changes', async () => {
    const seen = new Map<string, number>();
    const { prober, runner } = await proberOf(async (widget, send) => {
      const { name, generation = 0, uid = '' } = widget.metadata;
      if (seen.get(uid) === generation) return;
      seen.set(uid, generation);
      await send('PUT', `${WIDGETS_PATH}/${name ?? ''}`, { ...widget, metadata: { ...widget.metadata, labels: {} } });
    });
    const size: ProgramOp = { do: 'set', target: WIDGET, path: ['spec', 'size'], value: 7, via: 'merge-patch' };
    const changed: Trial = { ...QUIET, workload: workload([{ actor: 'user', writer: 'user', ops: [size] }]) };
    const history = await runner.run(QUIET);

    expect(await prober.probe(team, QUIET, history)).toMatchObject({ reverted: [] });
    expect(await prober.probe(team, changed, history)).toMatchObject({
      reverted: [],
      revertedLater: ['metadata.labels.team'],
    });
  });

  it('does not take a change of the user for one of the target', async () => {
    const { prober, runner } = await proberOf(setReady);
    const changed: Trial = {
      ...QUIET,
      workload: workload([{ actor: 'user', writer: 'user', ops: [label('theirs')] }]),
    };

    expect(await prober.probe(team, changed, await runner.run(QUIET))).toMatchObject({ reverted: [] });
  });

  it('is made once per question', async () => {
    const { prober, runner } = await proberOf(setReady);
    const history = await runner.run(QUIET);

    const made = await prober.probe(team, QUIET, history);

    expect(await prober.probe({ ...team }, labelled('else'), history)).toBe(made);
    expect(prober.runs).toBe(1);
  });
});
