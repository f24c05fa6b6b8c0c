import { expect, it } from 'vitest';
import type { History, ProcessEvent } from '../../model/history.ts';
import { isUp } from './undisturbed-trouble.ts';

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
