import { describe, expect, it } from 'vitest';
import type { CheckResult } from '../harness/model/check-result.ts';
import type { History } from '../harness/model/history.ts';
import type { HistoryBuilder } from '../harness/oracle/test-history.ts';
import { historyBuilder } from '../harness/oracle/test-history.ts';
import { survival } from './survival.ts';

function started(): HistoryBuilder {
  return historyBuilder().process('controller', 'started').phase('contention');
}

function judge(h: HistoryBuilder): CheckResult {
  return survival.check(h.phase('end').process('controller', 'stopped').build());
}

function classes(result: CheckResult): readonly string[] {
  return result.result === 'violated' ? result.violations.map(({ signature }) => signature.class) : [];
}

describe('survival', () => {
  it('accepts a target that stays up', () => {
    expect(judge(started().phase('settle'))).toEqual({ result: 'holds' });
  });

  it('convicts an unhandled rejection', () => {
    const result = judge(started().process('controller', 'unhandled', 'TypeError: x is not a function'));

    expect(classes(result)).toEqual(['unhandled']);
    expect(result.result === 'violated' && result.violations[0]?.sentence).toBe(
      'controller left an error unhandled: TypeError: x is not a function',
    );
  });

  it('names the request whose failure nobody caught', () => {
    const h = started();
    h.begin('controller', 'get', 'pods', 'a').fail(404);
    h.begin('controller', 'update', 'widgets.example.com', 'a').fail(409);
    const result = judge(h.process('controller', 'unhandled', 'Error: HTTP-Code: 409'));

    expect(result.result === 'violated' && result.violations[0]).toMatchObject({
      sentence:
        'controller left an error unhandled: Error: HTTP-Code: 409, after its update of widgets.example.com/a failed (409)',
      operations: [1],
    });
  });

  it('does not blame the target for its crash by the schedule, nor for what the dead one rejects', () => {
    const h = started().process('controller', 'crashed').process('controller', 'unhandled', 'socket hang up');

    expect(judge(h.process('controller~2', 'started')).result).toBe('holds');
  });

  it('accepts an exit by design that a restart follows', () => {
    const h = started().process('controller', 'exited', 'leader election lost').process('controller~2', 'started');

    expect(judge(h.phase('settle')).result).toBe('holds');
  });

  it('convicts a target that does not come up again', () => {
    expect(classes(judge(started().process('controller', 'exited', 'process.exit(1)')))).toEqual(['stays-down']);
  });

  it('accepts an exit for what happened before it was left alone, and convicts the next one', () => {
    const once = (): HistoryBuilder =>
      started().phase('settle').process('controller', 'exited', 'process.exit(1)').process('controller~2', 'started');
    const twice = once().process('controller~2', 'exited', 'process.exit(1)').process('controller~3', 'started');

    expect(judge(once())).toEqual({ result: 'holds' });
    expect(classes(judge(twice))).toEqual(['exits-at-rest']);
  });

  it('convicts a target that exits again and again', () => {
    const h = started();
    for (let n = 1; n <= 5; n++) h.process(`controller~${n}`, 'exited', 'x').process(`controller~${n + 1}`, 'started');

    expect(classes(judge(h))).toEqual(['exits-again-and-again']);
  });

  it('convicts a start that fails on its own, not one that fails under a fault', () => {
    const failing = (): HistoryBuilder => historyBuilder().phase('contention').process('controller', 'crashed');
    const alone = failing().process('controller~2', 'start-failed', 'boom');
    const faulted = failing();
    faulted.begin('controller~2', 'list', 'pods', '').fail(500);
    faulted.process('controller~2', 'start-failed', 'boom');

    expect(classes(judge(alone))).toEqual(['start-failed']);
    expect(judge(faulted).result).toBe('inconclusive');
    expect(judge(faulted.process('controller~3', 'started')).result).toBe('holds');
  });

  it('has no opinion when the schedule crashed it more often than it is restarted', () => {
    const h = started().process('controller', 'exited', 'x').process('controller~2', 'crashed');

    expect(judge(h).result).toBe('inconclusive');
  });

  it.each([
    ["thread 'main' panicked at src/main.rs:7:5:"],
    ["thread 'tokio-runtime-worker' (4711) panicked at src/main.rs:7:5:"],
    ['panic: assignment to entry in nil map'],
    ['# A fatal error has been detected by the Java Runtime Environment:'],
  ])('knows a panic by what its runtime prints: %s', (line) => {
    const h = historyBuilder();

    expect(classes(survival.check({ ...h.build(), logs: [{ actor: 'controller', at: 1, timeMs: 1, line }] }))).toEqual([
      'panic',
    ]);
  });

  it.each([
    ['panic: assignment to entry in nil map', 'controller panicked: assignment to entry in nil map'],
    [
      String.raw`E1126 11:19:07.829674 2 iface.go:283] "Observed a panic" panic="interface {} is \"a\", not b" stacktrace=<`,
      'controller panicked: interface {} is "a", not b',
    ],
    ["thread 'main' panicked at src/main.rs:7:5:", `controller printed "thread 'main' panicked at src/main.rs:7:5:"`],
  ])('says what panics say: %s', (line, sentence) => {
    const history = historyBuilder().build({ logs: [{ actor: 'controller', at: 1, timeMs: 1, line }] });

    expect(survival.check(history)).toMatchObject({ violations: [{ sentence }] });
  });

  it.each([
    ['cannot retrieve the configuration: Too many requests', 'warning', 'caught-panic'],
    ['runtime error: invalid memory address or nil pointer dereference', 'error', 'panic'],
  ])('only warns of a panic with a message of its own that is caught: %s', (text, severity, kind) => {
    const h = started();
    h.begin('controller', 'get', 'configs.example.com', 'default').fail(429);
    const line = JSON.stringify({ level: 'error', msg: 'Observed a panic', panic: text });
    const forDevelopers = `2026-11-29T14:00:00Z\tERROR\tObserved a panic\t{"controller": "a", "panic": "${text}"}`;
    const history = h.build({ logs: [{ actor: 'controller', at: 1_000, timeMs: 1, line }] });

    expect(survival.check(history)).toMatchObject({ violations: [{ severity, signature: { class: kind } }] });
    const other = { ...history, logs: [{ actor: 'controller', at: 1_000, timeMs: 1, line: forDevelopers }] };
    expect(survival.check(other)).toMatchObject({ violations: [{ severity, signature: { class: kind } }] });
    const unprovoked = { ...history, operations: [] };
    expect(survival.check(unprovoked)).toMatchObject({ violations: [{ severity: 'error' }] });
  });

  it('does not judge what a program prints before it is started again as in a pod', () => {
    const line = 'panic: unable to load in-cluster configuration, KUBERNETES_SERVICE_HOST must be defined';
    const history = started().build({ logs: [{ actor: 'controller', at: 0, timeMs: 0, line }] });

    expect(survival.check(history)).toEqual({ result: 'holds' });
  });

  it('convicts what runtimes print about broken programs', () => {
    const lines = ['reconciled web', 'WARNING: DATA RACE', 'panic: runtime error: index out of range'];
    const history = started().build({ logs: lines.map((line, at) => ({ at, timeMs: 0, actor: 'controller', line })) });

    expect(classes(survival.check(history))).toEqual(['data-race', 'panic']);
  });

  const NODE_LINES = ['reconciled web', 'Error: HTTP-Code: 500', '    at api.js:7', 'Node.js v24.21.0'];
  const printed = (history: History): History => ({
    ...history,
    logs: NODE_LINES.map((line) => ({ at: 1_000, timeMs: 0, actor: 'controller', line })),
  });

  it('knows a Node program that an error has ended which nobody caught, and names it', () => {
    const h = started();
    h.call('controller', 'watch', 'widgets', '');
    const told = survival.check(printed(h.build()));

    expect(classes(told)).toEqual(['unhandled']);
    expect(told).toMatchObject({ violations: [{ sentence: expect.stringContaining('Error: HTTP-Code: 500') }] });
  });

  it('lets a program give up that does not watch anything yet, or was asked to end', () => {
    const h = started();
    expect(classes(survival.check(printed(h.build())))).toEqual([]);

    h.call('controller', 'watch', 'widgets', '');
    expect(classes(survival.check(printed(h.process('controller', 'stopped').build())))).toEqual([]);
  });

  it('lets a program give up by a panic at its start, after a request that was made to fail', () => {
    const judged = (line: string, isFaulted: boolean): readonly string[] => {
      const h = started();
      if (isFaulted) h.begin('controller', 'list', 'pods', '').fail(503);
      return classes(survival.check(h.build({ logs: [{ actor: 'controller', at: 1_000, timeMs: 1, line }] })));
    };

    expect(judged('panic: unable to list pods', true)).toEqual([]);
    expect(judged('panic: unable to list pods', false)).toEqual(['panic']);
    expect(judged('panic: runtime error: invalid memory address or nil pointer dereference', true)).toEqual(['panic']);
    expect(judged('WARNING: DATA RACE', true)).toEqual(['data-race']);
  });
});
