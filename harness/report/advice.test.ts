import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { adviceFor } from './advice.ts';

describe('advice for runs that nothing can be said about', () => {
  it.each([
    ['convergence: the run never came to rest, so there is no final state to judge', /poll/],
    ['convergence: the target never started: no such file', /by hand/],
    ['convergence: a fresh copy of the target, given the same input, did not come to rest', /alone on the sample/],
    ['bounded-rate: the target sent 3 requests while nothing else changed: too few to distinguish a habit', /--budget/],
  ])('%s', (reason, advice) => {
    expect(adviceFor(reason)).toMatch(advice);
  });

  it('says nothing where it knows nothing', () => {
    expect(adviceFor('own-claim: who knows')).toBeUndefined();
  });

  it('goes by words that properties use', () => {
    const folder = new URL('../../properties/', import.meta.url);
    const texts = readdirSync(folder).map((name) =>
      name.endsWith('.ts') ? readFileSync(new URL(name, folder), 'utf8') : '',
    );

    for (const words of ['never started', 'cut short', 'never came to rest', 'did not come to rest', 'too few to'])
      expect(texts.some((text) => text.includes(words))).toBe(true);
  });
});
