import { expect, test } from 'vitest';
import type { Program, ProgramOp, Workload } from '../../model/workload.ts';
import { historyBuilder, manifest } from '../../oracle/test-history.ts';
import { CalmRuns } from './calm-runs.ts';
import { WIDGET, workload } from '../run/testing.ts';

function touches(actor: string, name: string, times = 1): Program {
  const target = { group: '', version: 'v1', resource: 'configmaps', namespace: 'default', name };
  const op: ProgramOp = { do: 'set', target, path: ['data', actor], value: 'x', via: 'update' };
  return { actor, writer: actor, ops: Array.from({ length: times }, () => op) };
}

function made(start: Workload['start'], ...programs: readonly Program[]): Workload {
  return { ...workload(), start, programs };
}

/** Returns a run in which the target updates config maps with these names. */
function updating(...names: readonly string[]): ReturnType<ReturnType<typeof historyBuilder>['build']> {
  const h = historyBuilder();
  for (const name of names) h.create('user', 'configmaps', manifest('ConfigMap', name));
  h.phase('contention');
  for (const name of names) h.edit('controller', 'configmaps', name, ['data', 'done'], 'yes');
  return h.phase('heal').phase('settle').build();
}

function rivalsOf(runs: CalmRuns, times: number): readonly (string | undefined)[] {
  return Array.from({ length: times }, () => runs.next()?.programs.at(-1)?.ops[0]?.target.name);
}

test('the short ones come first, and each once', () => {
  const long = made('settled', touches('user', 'web'), touches('writer-1', 'a', 2));
  const short = made('settled', touches('user', 'web'), touches('writer-1', 'b'));
  const runs = new CalmRuns([long, short, { ...short }, long]);

  expect([runs.next(), runs.next(), runs.next()]).toEqual([short, long, undefined]);
});

test('what happens to the target takes turns, whoever else writes', () => {
  const wish = (rival: string): Workload => made('settled', touches('user', 'web'), touches('writer-1', rival));
  const loss = (rival: string): Workload => made('settled', touches('writer-1', 'child'), touches('writer-2', rival));
  const fromNothing = (rival: string): Workload => made('empty', touches('writer-1', rival));
  const runs = new CalmRuns(['a', 'b'].flatMap((rival) => [wish(rival), loss(rival), fromNothing(rival)]));
  const kinds = Array.from({ length: 6 }, () => runs.next()?.programs[0]?.ops[0]?.target.name);

  expect(kinds.map((name) => (name === 'web' || name === 'child' ? name : 'rival'))).toEqual([
    'rival',
    'web',
    'child',
    'rival',
    'web',
    'child',
  ]);
});

test('the kinds of triggers take turns, changes of what the user asks for first', () => {
  // The child has the name of its parent.
  const child = { group: '', version: 'v1', resource: 'configmaps', namespace: 'default', name: 'a' };
  const at = (name: string): ProgramOp['target'] => (name === 'a' ? WIDGET : child);
  const set = (name: string, ...path: readonly string[]): ProgramOp => ({
    ...{ do: 'set', target: at(name), path, value: 'x', via: 'update' },
  });
  const one = (op: ProgramOp, start: Workload['start'] = 'settled'): Workload =>
    made(start, { actor: 'writer-1', writer: 'any', ops: [op] });
  const note = one(set('a', 'metadata', 'labels', 'x'));
  const changes = [one(set('a', 'spec', 'size')), one(set('a', 'spec', 'color'))];
  const drift = one(set('child', 'spec', 'size'));
  const loss = one({ do: 'delete', target: at('child') });
  const deletion = one({ do: 'delete', target: at('a') });
  const start = one(set('a', 'spec', 'size'), 'empty');
  const runs = new CalmRuns([note, deletion, drift, start, loss, ...changes]);

  expect(Array.from({ length: 8 }, () => runs.next())).toEqual([
    ...[changes[0], loss, start],
    ...[drift, deletion, note],
    ...[changes[1], undefined],
  ]);
});

test('rivals are chosen where the target was seen to update, and where none was yet', () => {
  const first = made('settled', touches('user', 'web'), touches('writer-1', 'elsewhere'));
  const others = ['nowhere', 'web', 'settings'].map((rival) =>
    made('settled', touches('user', 'web'), touches('writer-1', rival, 2)),
  );
  const again = made('settled', touches('user', 'web'), touches('writer-1', 'web', 3));
  const runs = new CalmRuns([first, ...others, again]);
  const shown = runs.next();
  expect(shown).toBe(first);
  runs.learn(first, updating('web', 'settings'));

  expect(rivalsOf(runs, 4)).toEqual(['web', 'settings', 'web', 'nowhere']);
});
