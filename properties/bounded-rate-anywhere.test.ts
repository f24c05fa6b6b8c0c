/** The result of bounded-rate for the same loop on a fast machine and on a busy one. */
import { describe, expect, it } from 'vitest';
import { setAt } from '../harness/model/edit.ts';
import type { Settlement } from '../harness/model/history.ts';
import type { ProbeResult } from '../harness/model/probe.ts';
import { manifest } from '../harness/oracle/test-history.ts';
import { HOT, judge, settled, started, WIDGETS, withheld } from './test-bounded-rate.ts';

describe('bounded rate, whatever the machine', () => {
  it('names the refused version as the cause at rest, however irregular a busy machine makes the pauses', () => {
    const { h, widget } = started();
    h.edit('writer-1', WIDGETS, 'web', ['spec', 'replicas'], 2);
    h.phase('heal').phase('settle');
    for (const pause of [0, 257, 372, 267, 260, 757, 240, 301, 272])
      h.pass(pause).update('controller', WIDGETS, setAt(widget, ['spec', 'x'], 1));

    expect(judge(h)).toMatchObject({ violations: [{ signature: { class: 'refused-version' } }] });
  });

  it('convicts a hot loop by its requests without a pause, however slow the machine is', () => {
    const h = settled();
    for (let n = 0; n < 60; n++) h.pass(400).edit('controller', WIDGETS, 'web', ['status', 'n'], n, 'status');

    expect(judge(h, { settlement: HOT, probes: [withheld(1)] })).toMatchObject({
      violations: [{ signature: { class: 'self-triggered-writes', field: 'status.n' } }],
    });
  });

  it('names the same write of a round wherever the look at it begins, and one that changes something', () => {
    const named = (writes: number): unknown => {
      const h = settled();
      h.create('user', 'configmaps', manifest('ConfigMap', 'web'));
      h.phase('settle');
      for (let n = 0; n < writes; n++) {
        h.pass(12);
        // This write changes nothing.
        if (n % 2 === 0) h.begin('controller', 'patch', 'configmaps', 'web').answer();
        else h.edit('controller', WIDGETS, 'web', ['status', 'n'], n, 'status');
      }
      const result = judge(h, { settlement: { result: 'steps-exceeded', steps: 800 }, probes: [withheld(1)] });
      return result.result === 'violated' && result.violations[0]?.signature;
    };

    expect(named(80)).toMatchObject({ class: 'self-triggered-writes', kind: WIDGETS, field: 'status.n' });
    expect(named(81)).toEqual(named(80));
  });

  it('knows a loop of writes by those of the whole rest, if the later half of a short run has only two', () => {
    const h = settled();
    for (let n = 0; n < 4; n++) {
      for (const name of ['a', 'b']) h.pass(50).call('controller', 'get', 'secrets', name);
      h.pass(60).edit('controller', WIDGETS, 'web', ['status', 'n'], n + 1, 'status');
    }
    h.pass(20);
    const longer: ProbeResult = {
      ...{ probe: 'extended-settle', windowMs: 8_000, quiescent: false, final: [], names: {}, writesAtRest: 50 },
      laterHalf: { requests: 75, rounds: 25, spanMs: 4_000, goesOn: true },
    };
    const settlement: Settlement = { result: 'time-exceeded', timeMs: 640 };

    expect(judge(h, { settlement, probes: [longer, withheld(1)] })).toMatchObject({
      violations: [{ signature: { class: 'self-triggered-writes', field: 'status.n' } }],
    });
  });
});
