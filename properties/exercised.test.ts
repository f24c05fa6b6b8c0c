import { expect, it } from 'vitest';
import type { History } from '../harness/model/history.ts';
import { historyBuilder, manifest, type HistoryBuilder } from '../harness/oracle/test-history.ts';
import { properties } from './index.ts';

const WIDGETS = 'widgets.example.com';

/** Returns the names of the properties that the history could have violated, among those that define `exercised`. */
function exercisedBy(history: History): readonly string[] {
  return properties.flatMap((one) => (one.exercised?.(history) === true ? [one.name] : []));
}

function withWidget(by: 'user' | 'controller'): HistoryBuilder {
  const h = historyBuilder().phase('contention');
  h.create(by, WIDGETS, manifest('Widget', 'web', { spec: { size: 1 } }));
  return h;
}

it('needs more than a target that reads', () => {
  const h = withWidget('user');
  h.get('controller', WIDGETS, 'web');

  expect(exercisedBy(h.build())).toEqual([]);
});

it('sees what somebody else and the target have both changed', () => {
  const h = withWidget('user');
  h.edit('controller', WIDGETS, 'web', ['status', 'observedGeneration'], 1, 'status');

  expect(exercisedBy(h.build())).toEqual(
    expect.arrayContaining(['no-lost-update', 'truthful-status', 'bounded-rate']) as readonly string[],
  );
});

it('sees deletions, by whom, and whether they had to wait', () => {
  const own = withWidget('controller');
  own.delete('controller', WIDGETS, 'web');
  const foreign = withWidget('user');
  foreign.edit('user', WIDGETS, 'web', ['metadata', 'finalizers'], ['example.com/wait']);
  foreign.delete('user', WIDGETS, 'web');

  expect(exercisedBy(own.build())).toEqual(['bounded-rate', 'no-resurrection', 'no-mistaken-deletion']);
  expect(exercisedBy(foreign.build())).toEqual(['deletion-completes']);
});

it('sees lives that ended, or overlapped', () => {
  const crashed = withWidget('user').process('controller', 'started').process('controller', 'crashed');
  const twice = withWidget('user').process('controller', 'started').process('controller~2', 'started');

  for (const actor of ['controller', 'controller~2', 'controller']) twice.get(actor, WIDGETS, 'web');

  expect(exercisedBy(crashed.build())).toEqual(['survival', 'crash-equivalence']);
  expect(exercisedBy(twice.build())).toEqual(['survival', 'one-active-leader']);
});
