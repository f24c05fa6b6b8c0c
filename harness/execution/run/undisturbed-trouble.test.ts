import { expect, it } from 'vitest';
import type { History, ProcessEvent } from '../../model/history.ts';
import { isUp, repeatedErrors } from './undisturbed-trouble.ts';

type Event = readonly [kind: ProcessEvent['kind'], actor?: string];

function lived(...events: readonly Event[]): Pick<History, 'processes'> {
  return {
    processes: events.map(([kind, actor = 'controller'], at) => ({ kind, actor, at, timeMs: at, detail: '' })),
  };
}

it.each<[string, readonly Event[], boolean]>([
  ['a life that goes on', [['started']], true],
  ['one that ended', [['started'], ['exited']], false],
  ['one that came back', [['started'], ['exited'], ['started']], true],
  ['one that came back with an unhandled error', [['started'], ['exited'], ['started'], ['unhandled']], true],
  ['one that ends again and again', [['exited'], ['exited'], ['exited'], ['started']], false],
  ['one that never started', [['start-failed']], false],
  [
    'one of two programs that is gone, whatever the other did last',
    [['started'], ['started', 'controller:webhook'], ['exited'], ['started', 'controller:webhook']],
    false,
  ],
])('says whether all programs are there after %s', (_, events, up) => {
  expect(isUp(lived(...events) as History)).toBe(up);
});

/** Returns the log of an undisturbed run that is at rest from line `rest` on. */
const logged = (lines: readonly string[], rest = 0): Pick<History, 'logs' | 'phases' | 'revisions'> => ({
  logs: lines.map((line, at) => ({ actor: 'controller', at, timeMs: at, line })),
  phases: [
    { phase: 'settle', at: rest, timeMs: rest },
    { phase: 'end', at: lines.length, timeMs: lines.length },
  ],
  revisions: [],
});

it('names the error that the undisturbed target keeps logging, whatever its numbers are', () => {
  const error = (at: number): string => `{"level":"error","msg":"Reconciler error","error":"no port ${at}"}`;
  const lines = Array.from({ length: 5 }, (_, at) => error(8000 + at));

  expect(repeatedErrors(logged(lines))).toEqual([
    expect.stringContaining('undisturbed, the target keeps logging the same error (Reconciler error: no port 8000)'),
  ]);
  expect(repeatedErrors(logged(lines.slice(1)))).toEqual([]);
  expect(repeatedErrors(logged(lines, lines.length))).toEqual([]);
});

it('takes no conflict and no information for trouble', () => {
  const conflict = '{"level":"error","msg":"Reconciler error","error":"the object has been modified"}';
  const info = '{"level":"info","msg":"waiting"}';

  expect(repeatedErrors(logged([conflict, info].flatMap((line) => Array<string>(9).fill(line))))).toEqual([]);
});
