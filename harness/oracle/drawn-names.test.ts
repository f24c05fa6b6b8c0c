import { expect, test } from 'vitest';
import type { History } from '../model/history.ts';
import { drawnNamesIn } from './drawn-names.ts';
import { historyBuilder, manifest } from './test-history.ts';

function creating(resource: string, ...names: readonly string[]): History {
  const history = historyBuilder();
  for (const name of names) history.create('controller', resource, manifest('Thing', name));
  return history.build();
}

test('finds no drawn names where all runs agree', () => {
  expect(drawnNamesIn([creating('pods', 'web-0', 'web-1'), creating('pods', 'web-1', 'web-0')])).toEqual({});
});

test('tells names that stay from those that differ, and how these begin', () => {
  const runs = [
    creating('pods', 'web', 'web-worker-x7k2p', 'gate-1'),
    creating('pods', 'web', 'web-worker-9dkfa', 'gate-2'),
  ];

  expect(drawnNamesIn(runs)).toEqual({ pods: { kept: ['web'], stems: ['web-worker-', 'gate-'] } });
});

test('knows names without anything in common', () => {
  const runs = [
    creating('nodes', 'beautiful-kapitsa'),
    creating('nodes', 'gifted-jemison'),
    creating('nodes', 'bold-bose'),
  ];

  expect(drawnNamesIn(runs)).toEqual({ nodes: { kept: [], stems: [''] } });
});

test('does not take a run that stopped early for one that draws names', () => {
  expect(drawnNamesIn([creating('pods', 'a', 'b'), creating('pods', 'a')])).toEqual({});
});

test('leaves out what others created', () => {
  const other = historyBuilder();
  other.create('user', 'pods', manifest('Pod', 'x'));

  expect(drawnNamesIn([other.build(), creating('pods')])).toEqual({});
});

/** Returns the history as if the gate had named the objects by order, because it mistook a number in their names for a timestamp. */
function timed(history: History): History {
  return { ...history, names: Object.fromEntries(history.revisions.map(({ uid }, at) => [uid, `some~${at}`])) };
}

test('counts a name whose random number looks like a time in one of the runs', () => {
  const runs = [
    creating('nodes', 'bold-bose-3524234797'),
    timed(creating('nodes', 'funny-keller-1795694433')),
    creating('nodes', 'gifted-jemison-42'),
  ];

  expect(drawnNamesIn(runs)).toEqual({ nodes: { kept: [], stems: [''] } });
});

test('leaves names alone that contain a time in every run', () => {
  const runs = [timed(creating('pods', 'backup-1795694433')), timed(creating('pods', 'backup-1799594433'))];

  expect(drawnNamesIn(runs)).toEqual({});
});
