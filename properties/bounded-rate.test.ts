import { describe, expect, it } from 'vitest';
import { setAt } from '../harness/model/edit.ts';
import type { Settlement } from '../harness/model/history.ts';
import type { ProbeResult } from '../harness/model/probe.ts';
import type { HistoryBuilder } from '../harness/oracle/test-history.ts';
import { manifest } from '../harness/oracle/test-history.ts';
import { boundedRate } from './bounded-rate.ts';
import { HOT, judge, settled, started, WIDGETS, withheld } from './test-bounded-rate.ts';

const UNREST: Settlement = { result: 'time-exceeded', timeMs: 180_000 };
/** A run declared at rest after a silence that is shorter than the pauses of a loop. */
const SOON: Settlement = { result: 'quiescent', windowMs: 100 };

/** Builds the history of a target whose PUTs with a stale version are rejected, with these pauses before each but the first. */
function refused(pausesMs: readonly number[]): HistoryBuilder {
  const { h, widget } = started();
  h.edit('writer-1', WIDGETS, 'web', ['spec', 'replicas'], 2);
  for (const pause of [0, ...pausesMs]) h.pass(pause).update('controller', WIDGETS, setAt(widget, ['spec', 'x'], 1));
  return h.phase('settle').pass(30_000);
}

/** Builds the history of a target whose requests fail with 500, with these pauses before each but the first. */
function failing(pausesMs: readonly number[], retryAfterSeconds?: number): HistoryBuilder {
  const { h } = started();
  for (const pause of [0, ...pausesMs])
    h.pass(pause).begin('controller', 'update', WIDGETS, 'web').fail(500, '', retryAfterSeconds);
  h.edit('controller', WIDGETS, 'web', ['status', 'n'], 1, 'status');
  return h.phase('settle').pass(30_000);
}

function every(ms: number, times: number, act: (n: number) => void, h: HistoryBuilder): HistoryBuilder {
  for (let n = 1; n <= times; n++) {
    h.pass(ms);
    act(n);
  }
  return h;
}

const repeat = (pause: number, times: number): readonly number[] => Array.from({ length: times }, () => pause);
const exponential = (baseMs: number, times: number): readonly number[] =>
  Array.from({ length: times }, (_, n) => baseMs * 2 ** n);
const restless: ProbeResult = {
  probe: 'extended-settle',
  windowMs: 120_000,
  quiescent: false,
  final: [],
  names: {},
  writesAtRest: 9,
};

describe('bounded rate', () => {
  it('accepts a run that comes to rest', () => {
    const { h } = started();
    h.edit('controller', WIDGETS, 'web', ['status', 'n'], 1, 'status');
    h.phase('settle').pass(30_000);

    expect(judge(h)).toEqual({ result: 'holds' });
  });

  describe('retries', () => {
    it('convicts the same refused version sent again and again', () => {
      const result = judge(refused(repeat(10, 7)));

      expect(result).toMatchObject({ violations: [{ signature: { class: 'refused-version', kind: WIDGETS } }] });
      expect(result.result === 'violated' && result.violations[0]?.sentence).toBe(
        'controller keeps sending the same refused version without reading the object again: 8 times update of ' +
          'widgets.example.com/web answered 409 Conflict, pauses of 10, 10, 10, 10 … 10 ms',
      );
    });

    it('calls it the same fault when an answer in between was lost', () => {
      const { h, widget } = started();
      h.edit('writer-1', WIDGETS, 'web', ['spec', 'replicas'], 2);
      for (let n = 0; n < 9; n++) {
        const attempt = h.pass(10).begin('controller', 'update', WIDGETS, 'web', { body: widget });
        if (n === 4) attempt.lose();
        else attempt.answer();
      }

      expect(judge(h.phase('settle'))).toMatchObject({ violations: [{ signature: { class: 'refused-version' } }] });
    });

    it('accepts RetryOnConflict with its 5 attempts, and again under a growing back-off', () => {
      expect(judge(refused(repeat(10, 4))).result).toBe('holds');
      const bursts = exponential(5, 6).flatMap((pause) => [pause, ...repeat(10, 4)]);
      expect(judge(refused([...repeat(10, 4), ...bursts])).result).toBe('holds');
    });

    it('convicts failures repeated without a pause, or with one that does not grow', () => {
      for (const pause of [0, 1, 100, 1_000]) {
        expect(judge(failing(repeat(pause, 7)))).toMatchObject({
          violations: [{ signature: { class: 'no-back-off' } }],
        });
      }
    });

    it('accepts pauses that the server asks for, and no shorter ones', () => {
      expect(judge(failing(repeat(1_000, 9), 1)).result).toBe('holds');
      expect(judge(failing(repeat(500, 9), 1))).toMatchObject({
        violations: [{ signature: { class: 'no-back-off' } }],
      });
    });

    it('names a request that is about no resource by its path', () => {
      const { h } = started();
      for (let n = 0; n < 9; n++) h.pass(1_000).begin('controller', 'get', '', '/healthz').fail(500, 'InternalError');

      expect(judge(h)).toMatchObject({
        violations: [{ sentence: expect.stringContaining('9 times get of /healthz answered') as string }],
      });
    });

    it('convicts irregular pauses that never grow', () => {
      const pauses = Array.from({ length: 45 }, (_, n) => [10, 40, 90, 20, 60][n % 5] ?? 0);

      expect(judge(failing(pauses))).toMatchObject({ violations: [{ signature: { class: 'no-back-off' } }] });
    });

    it('convicts pauses that never grow on a clock where any of them may be late', () => {
      const pauses = Array.from({ length: 45 }, (_, n) => (n === 44 ? 70 : ([14, 15, 26, 13, 23, 15, 14][n % 7] ?? 0)));

      expect(judge(refused(pauses))).toMatchObject({ violations: [{ signature: { class: 'refused-version' } }] });
    });

    it('accepts exponential back-off with jitter, with a cap, or polite from the start', () => {
      expect(judge(failing(exponential(5, 12))).result).toBe('holds');
      expect(judge(failing([11, 19, 45, 76, 170, 300, 700, 1_300])).result).toBe('holds');
      expect(judge(failing([...exponential(500, 5), ...repeat(10_000, 8)])).result).toBe('holds');
      expect(judge(failing(repeat(30_000, 10))).result).toBe('holds');
    });

    it('accepts seven failures in a row, or more with a success in between', () => {
      expect(judge(failing(repeat(0, 6))).result).toBe('holds');
      const { h } = started();
      for (let n = 0; n < 20; n++) {
        h.begin('controller', 'update', WIDGETS, 'web').fail(500);
        if (n % 5 === 4) h.edit('controller', WIDGETS, 'web', ['spec', 'x'], n);
      }
      expect(judge(h.phase('settle')).result).toBe('holds');
    });

    it('accepts attempts that watch events asked for, as of a reconcile on a cache that lags', () => {
      const { h, widget } = started();
      h.deliver('controller', WIDGETS);
      h.edit('writer-1', WIDGETS, 'web', ['spec', 'replicas'], 2);
      for (let n = 0; n < 12; n++) {
        h.create('user', 'configmaps', manifest('ConfigMap', `c${n}`));
        h.deliver('controller', 'configmaps');
        h.update('controller', WIDGETS, setAt(widget, ['spec', 'x'], 1));
        h.delete('controller', 'pods', 'gone');
      }

      expect(judge(h.phase('settle').pass(30_000)).result).toBe('holds');
    });

    it('accepts attempts that read anew each time and lose against real changes', () => {
      const { h } = started();
      for (let n = 0; n < 10; n++) {
        const read = h.get('controller', WIDGETS, 'web');
        h.edit('writer-1', WIDGETS, 'web', ['spec', 'replicas'], n + 5);
        h.update('controller', WIDGETS, setAt(read, ['spec', 'x'], n));
      }

      expect(judge(h.phase('settle').pass(30_000)).result).toBe('holds');
    });

    it('does not take one refusal each of several objects for retries', () => {
      const h = settled();
      for (let n = 0; n < 9; n++) h.pass(1).delete('controller', 'pods', `child-${n}`);

      expect(judge(h).result).toBe('holds');
    });

    it('convicts a back-off that goes on at rest with a request that can never succeed', () => {
      const h = settled();
      for (const pause of exponential(5, 8)) h.pass(pause).delete('controller', 'pods', 'gone');

      expect(judge(h)).toMatchObject({ violations: [{ signature: { class: 'outlived-cause', kind: 'pods' } }] });
    });

    it('does not hold it against a target whose watch is still down that it cannot know better', () => {
      for (const [again, result] of [
        ['afterwards', 'holds'],
        ['before', 'violated'],
      ] as const) {
        const { h } = started();
        h.call('controller', 'watch', 'pods', '');
        h.endStream('controller', 'pods', 'expired').phase('settle').pass(30_000);
        if (again === 'before') h.call('controller', 'watch', 'pods', '');
        for (const pause of exponential(5, 8)) h.pass(pause).delete('controller', 'pods', 'gone');
        if (again === 'afterwards') h.call('controller', 'watch', 'pods', '');

        expect([again, judge(h.pass(30_000)).result]).toEqual([again, result]);
      }
    });
  });

  describe('writes at rest', () => {
    function writing(periodMs: number, times: number): HistoryBuilder {
      const h = settled();
      return every(periodMs, times, (n) => h.edit('controller', WIDGETS, 'web', ['status', 'n'], n, 'status'), h);
    }

    it('asks for more time and for the cause', () => {
      expect(judge(writing(4_000, 45), { settlement: UNREST })).toMatchObject({
        result: 'inconclusive',
        needs: [{ probe: 'extended-settle', windowMs: 120_000 }, { probe: 'withheld-echo' }],
      });
    });

    it('convicts a target that triggers itself, however slowly', () => {
      const result = judge(writing(4_000, 45), { settlement: UNREST, probes: [restless, withheld(1)] });

      expect(result).toMatchObject({
        violations: [
          { signature: { class: 'self-triggered-writes', kind: WIDGETS, field: 'status.n' }, severity: 'error' },
        ],
      });
    });

    it('convicts a target that triggers itself also when the references do the same', () => {
      const idle = { requestsPerMinute: 1, writesPerMinute: 1 };

      const result = judge(writing(4_000, 45), {
        settlement: UNREST,
        probes: [restless, withheld(0)],
        reference: { idle },
      });
      expect(result.result).toBe('violated');
    });

    it('convicts writes by a timer that the references did not do', () => {
      expect(judge(writing(4_000, 45), { settlement: UNREST, probes: [restless, withheld(45)] })).toMatchObject({
        violations: [{ signature: { class: 'busy-at-rest' } }],
      });
    });

    it('accepts a heartbeat that the references have too', () => {
      const idle = { requestsPerMinute: 12, writesPerMinute: 6 };

      expect(judge(writing(10_000, 18), { settlement: UNREST, reference: { idle } }).result).toBe('holds');
    });

    it('accepts a target that comes to rest when it gets more time', () => {
      const probes: readonly ProbeResult[] = [{ ...restless, quiescent: true }];

      expect(judge(writing(4_000, 45), { settlement: UNREST, probes }).result).toBe('holds');
    });

    it('accepts a target that goes back to what it does undisturbed when it gets more time', () => {
      const laterHalf = { requests: 6, spanMs: 60_000, goesOn: true };
      const judged = (half: typeof laterHalf & { ordinary?: true }): string =>
        judge(writing(4_000, 45), { settlement: UNREST, probes: [{ ...restless, laterHalf: half }, withheld(45)] })
          .result;

      expect(judged({ ...laterHalf, ordinary: true })).toBe('holds');
      expect(judged(laterHalf)).toBe('violated');
    });

    it('does not blame the target’s locks', () => {
      const h = settled();
      h.create('controller', 'leases.coordination.k8s.io', manifest('Lease', 'lock', { spec: {} }));
      every(2_000, 90, (n) => h.edit('controller', 'leases.coordination.k8s.io', 'lock', ['spec', 'renewTime'], n), h);
      h.create('controller', 'configmaps', manifest('ConfigMap', 'lock', { data: {} }));
      every(2_000, 10, (n) => h.edit('controller', 'configmaps', 'lock', ['data', 'renewTime'], n), h);

      expect(judge(h, { settlement: UNREST, reference: { locks: ['configmaps:lock'] } }).result).toBe('holds');
    });

    it('begins to count when the last foreign change was made', () => {
      const { h } = started();
      h.phase('settle');
      every(1_000, 20, (n) => h.edit('controller', WIDGETS, 'web', ['status', 'n'], n, 'status'), h);
      h.edit('writer-1', WIDGETS, 'web', ['spec', 'replicas'], 7);

      expect(judge(h.pass(30_000)).result).toBe('holds');
    });
  });

  describe('loops', () => {
    it('convicts reads at one instant without end', () => {
      const h = settled();
      for (let n = 0; n < 100; n++) h.get('controller', WIDGETS, 'web');

      expect(judge(h, { settlement: HOT })).toMatchObject({
        violations: [{ signature: { class: 'hot-loop', kind: WIDGETS } }],
      });
    });

    it('asks for the cause of writes at one instant, and names it', () => {
      const h = settled();
      for (let n = 0; n < 60; n++) h.edit('controller', WIDGETS, 'web', ['status', 'n'], n, 'status');
      const history = h.phase('end').build({ settlement: HOT });

      expect(boundedRate.check(history)).toMatchObject({ needs: [{ probe: 'withheld-echo' }] });
      for (const [writes, kind] of [
        [1, 'self-triggered-writes'],
        [60, 'hot-loop'],
      ] as const) {
        expect(boundedRate.check({ ...history, probes: [withheld(writes)] })).toMatchObject({
          violations: [{ signature: { class: kind, field: 'status.n' } }],
        });
      }
    });

    it('has no opinion on an instant that is not the target’s', () => {
      expect(judge(settled(), { settlement: HOT }).result).toBe('inconclusive');
    });

    it('convicts a requeue of a second or less, also when the references do the same and rest was called', () => {
      const h = settled();
      every(1_000, 30, () => h.get('controller', WIDGETS, 'web'), h);
      const reference = { idle: { requestsPerMinute: 60, writesPerMinute: 0 } };

      expect(judge(h, { reference })).toMatchObject({ violations: [{ signature: { class: 'short-requeue' } }] });
    });

    it('accepts several requests of one kind in each round of a poll of five seconds', () => {
      const h = settled();
      const shards = (): void => {
        for (const shard of ['a', 'b', 'c', 'd', 'e'])
          h.begin('controller', 'list', 'pods', '', { query: { labelSelector: `shard=${shard}` } }).answer();
      };
      every(5_000, 6, shards, h);
      const reference = { idle: { requestsPerMinute: 60, writesPerMinute: 0 } };

      expect(judge(h, { reference })).toEqual({ result: 'holds' });
    });

    describe('seen for a short time only', () => {
      const idle = { requestsPerMinute: 600, writesPerMinute: 600 };
      const reference = { idle };
      const seen = (requests: number, goesOn = true): ProbeResult => ({
        ...restless,
        windowMs: 8_000,
        laterHalf: { requests, spanMs: 8_000, goesOn },
      });
      const writing = (): HistoryBuilder => {
        const h = settled();
        return every(300, 6, (n) => h.edit('controller', WIDGETS, 'web', ['status', 'n'], n, 'status'), h);
      };
      const reading = (): HistoryBuilder => {
        const h = settled();
        return every(300, 8, () => h.get('controller', WIDGETS, 'web'), h);
      };

      it('is looked at for longer before it is called ordinary', () => {
        expect(judge(writing(), { settlement: UNREST, reference })).toMatchObject({
          result: 'inconclusive',
          needs: [{ probe: 'extended-settle' }, { probe: 'withheld-echo' }],
        });
        expect(judge(reading(), { settlement: SOON, reference })).toMatchObject({
          result: 'inconclusive',
          needs: [{ probe: 'extended-settle', windowMs: 8_000 }],
        });
      });

      it('is convicted when it goes on', () => {
        expect(judge(writing(), { settlement: UNREST, reference, probes: [seen(25), withheld(9)] })).toMatchObject({
          violations: [{ signature: { class: 'short-requeue' } }],
        });
        expect(judge(reading(), { reference, probes: [seen(25)] })).toMatchObject({
          violations: [{ signature: { class: 'short-requeue' } }],
        });
      });

      it.each([
        ['it was one burst', seen(25, false)],
        ['it slows down', seen(5)],
      ])('is accepted when %s', (_, probe) => {
        expect(judge(writing(), { settlement: UNREST, reference, probes: [probe] }).result).toBe('holds');
        expect(judge(reading(), { reference, probes: [probe] }).result).toBe('holds');
      });

      it('is no matter where the references are silent and the run came to rest', () => {
        expect(judge(reading()).result).toBe('holds');
      });
    });

    it('accepts one late burst with a write for each child, and silence after it', () => {
      const h = settled().pass(6_000);
      for (let n = 0; n < 12; n++) h.create('controller', 'configmaps', manifest('ConfigMap', `child-${n}`));

      expect(judge(h.pass(4_000)).result).toBe('holds');
    });

    it('accepts the last reconcile of a run that ends at once, because no timer is due in its window', () => {
      const h = settled().pass(100);
      const requests = every(8, 12, () => h.get('controller', WIDGETS, 'web'), h);
      requests.edit('controller', WIDGETS, 'web', ['status', 'n'], 1, 'status');

      expect(judge(requests, { settlement: { result: 'quiescent', windowMs: 3_000 } }).result).toBe('holds');
    });

    it('names the request that a loop has most, not parts of several', () => {
      const h = settled();
      every(
        200,
        100,
        (n) => {
          h.create('controller', 'configmaps', manifest('ConfigMap', `child-${n}`));
          if (n % 4 === 0) h.edit('controller', WIDGETS, 'web', ['status', 'n'], n, 'status');
        },
        h,
      );

      const result = judge(h, { settlement: SOON });
      expect(result.result === 'violated' && result.violations[0]?.sentence).toMatch(
        /^controller sends requests every 1\d\d ms although nothing else happens: create of configmaps$/,
      );
    });

    it('accepts a poll as slow as in the references', () => {
      const h = settled();
      every(30_000, 6, () => h.get('controller', WIDGETS, 'web'), h);

      expect(
        judge(h, { settlement: UNREST, reference: { idle: { requestsPerMinute: 2, writesPerMinute: 0 } } }).result,
      ).toBe('holds');
    });

    it('convicts a poll much faster than in the references', () => {
      const h = settled();
      every(3_000, 60, () => h.get('controller', WIDGETS, 'web'), h);
      const reference = { idle: { requestsPerMinute: 2, writesPerMinute: 0 } };

      expect(judge(h, { settlement: UNREST, probes: [restless], reference })).toMatchObject({
        violations: [{ signature: { class: 'busy-at-rest' } }],
      });
    });
  });
});
