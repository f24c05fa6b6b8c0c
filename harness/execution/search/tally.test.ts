import { expect, it } from 'vitest';
import { emptyHistory } from '../run/empty-history.ts';
import type { Judged } from '../run/judge.ts';
import { addTally } from './tally-sum.ts';
import { countOpinions, newTally, type SearchTally } from './tally.ts';

function judged(line: string, isUnjudged: boolean): Judged {
  const logs = [{ actor: 'controller', line, at: 1, timeMs: 0 }];
  const inconclusive = new Map(isUnjudged ? [['convergence', 'never came to rest']] : []);
  return { history: { ...emptyHistory(''), logs }, violations: [], inconclusive };
}

function tallyOf(...runs: readonly Judged[]): SearchTally {
  const tally = newTally();
  for (const run of runs) countOpinions(run, [], tally);
  return tally;
}

it('keeps what the target printed in the first run that nothing can be said about, else in the first run', () => {
  const calm = tallyOf(judged('one', false), judged('two', false));
  const dark = tallyOf(judged('three', false), judged('four', true), judged('five', true));

  expect(calm.printed?.lines).toEqual(['one']);
  expect(dark.printed?.lines).toEqual(['four']);
  for (const tallies of [
    [calm, dark],
    [dark, calm],
  ]) {
    const total = newTally();
    for (const tally of tallies) addTally(total, tally);
    expect(total.printed?.lines).toEqual(['four']);
  }
});
