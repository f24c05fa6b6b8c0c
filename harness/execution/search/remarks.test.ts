import { expect, it } from 'vitest';
import type { Violation } from '../../model/check-result.ts';
import { historyBuilder, manifest } from '../../oracle/test-history.ts';
import { violation } from '../run/test-verdicts.ts';
import { countRemarks, remarksOf } from './remarks.ts';
import { addSymptom, newTally } from './tally.ts';
import { addTally } from './tally-sum.ts';

const HISTORY = historyBuilder().build();

function warning(field: string, sentence = 's'): Violation {
  return { ...violation({ field }), severity: 'warning', sentence };
}

it('counts runs that show a warning, not how often each shows it, and keeps the first sentence', () => {
  const [tally, other] = [newTally(), newTally()];
  countRemarks(HISTORY, [warning('a'), warning('a'), warning('b'), violation({ field: 'c' })], tally);
  countRemarks(HISTORY, [warning('b', 'later')], other);
  addTally(tally, other);

  expect(remarksOf(tally)).toMatchObject([
    { signature: { field: 'b' }, sentence: 's', count: 2 },
    { signature: { field: 'a' }, count: 1 },
  ]);
});

it('leaves out what is a finding in other runs', () => {
  const tally = newTally();
  countRemarks(HISTORY, [warning('a'), warning('b')], tally);
  addSymptom(tally, 'some cause', { signature: warning('a').signature, count: 1 });

  expect(remarksOf(tally)).toMatchObject([{ signature: { field: 'b' } }]);
});

it('keeps no secret of the run', () => {
  const built = historyBuilder();
  const password = 'correct-horse-battery';
  built.create('user', 'secrets', manifest('Secret', 'a', { stringData: { password } }));
  const tally = newTally();
  countRemarks(built.build(), [warning('', `leaves secrets/a with "${password}"`)], tally);

  expect(remarksOf(tally)[0]?.sentence).toBe('leaves secrets/a with "redacted"');
});
