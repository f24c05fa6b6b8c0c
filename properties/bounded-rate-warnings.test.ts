/** Warnings of `bounded-rate`, which do not fail a run, and its answer if it cannot determine a period. */
import { describe, expect, it } from 'vitest';
import type { CheckResult, Violation } from '../harness/model/check-result.ts';
import type { Verb } from '../harness/model/history.ts';
import type { ProbeResult } from '../harness/model/probe.ts';
import { manifest, ownedBy } from '../harness/oracle/test-history.ts';
import { unreadable } from '../harness/model/test-readable.ts';
import { judge, started, WIDGETS } from './test-bounded-rate.ts';

/** Judges attempts that the server answers with `code`, with this pause before each; the last one is at rest. */
function attempts(verb: Verb, pauseMs: number, code: number, reason?: string, times = 8): CheckResult {
  const { h } = started();
  const failing = (): void =>
    void h.begin('controller', verb, WIDGETS, verb === 'list' ? '' : 'web').fail(code, reason);
  for (let n = 0; n < times; n++) {
    if (n === times - 1) h.phase('heal').phase('settle');
    h.pass(pauseMs);
    failing();
  }
  return judge(h.pass(30_000));
}

/** Judges patches that are refused with this pause before each; the last one is before the target is at rest. */
function ended(pauseMs: number, kind = WIDGETS): CheckResult {
  const { h } = started();
  for (let n = 0; n < 8; n++) h.pass(pauseMs).begin('controller', 'patch', kind, 'web').fail(404, 'NotFound');
  return judge(h.phase('heal').phase('settle').pass(30_000));
}

function severity(result: CheckResult): Violation['severity'] | undefined {
  return result.result === 'violated' ? result.violations[0]?.severity : undefined;
}

describe('a request repeated at a constant pace', () => {
  it('is a warning where it is a read, the server fails and a second or more passes between two', () => {
    for (const code of [0, 429, 500, 503, 504]) expect(severity(attempts('list', 1_000, code))).toBe('warning');
    expect(severity(attempts('get', 3_000, 500))).toBe('warning');
  });

  it('is an error where it comes sooner, or where the answer is no failure of the server', () => {
    expect(severity(attempts('list', 500, 500))).toBe('error');
    expect(severity(attempts('list', 1_000, 403))).toBe('error');
  });

  it('is an error where it is a write that never succeeds', () => {
    expect(severity(attempts('update', 1_000, 500))).toBe('error');
  });

  it('is a warning where it ends before the target is at rest', () => {
    expect(severity(ended(1_000))).toBe('warning');
    expect(severity(ended(500))).toBe('error');
  });

  it('is no violation where it renews a lock: the leader gives up by itself', () => {
    expect(ended(2_000, 'leases.coordination.k8s.io').result).toBe('holds');
    expect(severity(ended(500, 'leases.coordination.k8s.io'))).toBe('error');
  });

  it('is a warning where undisturbed runs do the same at rest', () => {
    const polls = (writesPerMinute: number): Violation['severity'] | undefined => {
      const { h } = started();
      h.phase('heal').phase('settle');
      for (let n = 0; n < 12; n++) h.pass(1_000).begin('controller', 'delete', WIDGETS, 'web').fail(404, 'NotFound');
      return severity(judge(h, { reference: { idle: { requestsPerMinute: writesPerMinute, writesPerMinute } } }));
    };

    expect(polls(60)).toBe('warning');
    expect(polls(0)).toBe('error');
  });

  it('is a warning where a write succeeds in the end, and a second or more passes between two', () => {
    const ended = (pauseMs: number): Violation['severity'] | undefined => {
      const { h } = started();
      for (let n = 0; n < 8; n++) h.pass(pauseMs).begin('controller', 'update', WIDGETS, 'web').fail(422, 'Invalid');
      h.edit('controller', WIDGETS, 'web', ['spec', 'x'], 1);
      return severity(judge(h.phase('settle').pass(30_000)));
    };

    expect(ended(1_000)).toBe('warning');
    expect(ended(500)).toBe('error');
  });
});

it('takes a create of what exists for a poll where a second passes between two, and for a loop where less does', () => {
  const create = (pauseMs: number, reason: string): Violation['severity'] | undefined =>
    severity(attempts('create', pauseMs, 409, reason, 45));

  expect(create(1_000, 'AlreadyExists')).toBe('warning');
  expect(create(500, 'AlreadyExists')).toBe('error');
  expect(create(1_000, 'Conflict')).toBe('error');
});

/** Judges a target that recreates a child each time it is collected, for an owner that no longer exists. */
function remade(times: number, watch: 'broken' | 'open'): CheckResult {
  const { h, widget } = started();
  const opened = h.begin('controller', 'watch', WIDGETS, '').send();
  opened.answer();
  h.phase('heal').phase('settle');
  if (watch === 'broken') h.endStream('controller', WIDGETS, 'closed');
  h.delete('user', WIDGETS, 'web');
  for (let n = 0; n < times; n++) {
    h.create('controller', 'configmaps', manifest('ConfigMap', 'child', {}, { ownerReferences: [ownedBy(widget)] }));
    h.delete('gc', 'configmaps', 'child');
  }
  return judge(h.pass(30_000));
}

describe('a child made again for an owner that is gone', () => {
  it('is a warning when it ends once the target’s own watch of the owner is back', () => {
    const result = remade(6, 'broken');

    expect(result).toMatchObject({
      violations: [{ severity: 'warning', signature: { class: 'deaf-loop', kind: 'configmaps' } }],
    });
    expect(result.result === 'violated' && result.violations[0]?.sentence).toBe(
      'controller created configmaps 6 times at rest for an owner that was gone: ' +
        'its watch on the owner was down; the loop stopped after it reconnected',
    );
  });

  it('is nothing when it was made a few times, or when no watch was broken', () => {
    expect(remade(4, 'broken').result).toBe('holds');
    expect(remade(6, 'open').result).toBe('holds');
  });
});

describe('what is said of a period', () => {
  const longer = (requests: number): ProbeResult => ({
    probe: 'extended-settle',
    windowMs: 8_000,
    quiescent: false,
    final: [],
    names: {},
    writesAtRest: 0,
    laterHalf: { requests, spanMs: 4_000, goesOn: true },
  });

  it('is that of the longer look, where only that has seen the requests', () => {
    const { h } = started();
    h.phase('heal').phase('settle');
    for (let n = 0; n < 4; n++) h.pass(10).get('controller', WIDGETS, 'web');
    const result = judge(h.pass(30_000), { probes: [longer(40)] });

    const sentence = result.result === 'violated' ? (result.violations[0]?.sentence ?? '') : JSON.stringify(result);
    expect(sentence).toBe(
      'controller sends requests every 100 ms although nothing else happens: get of widgets.example.com/web',
    );
    expect(unreadable(sentence)).toBeUndefined();
  });

  it('is nothing where this run has no request to name', () => {
    const { h } = started();
    const settlement = { result: 'time-exceeded', timeMs: 60_000 } as const;
    const result = judge(h.phase('heal').phase('settle').pass(30_000), { settlement, probes: [longer(40)] });

    expect(result).toMatchObject({ result: 'inconclusive' });
    expect(JSON.stringify(result)).not.toMatch(/Infinity|: {2}of/);
  });
});
