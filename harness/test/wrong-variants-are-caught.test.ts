import { describe, expect, it } from 'vitest';
import { expectedProperties, isCorrect, nameOf, optionsFor, selected } from '../../scripts/catalogue.ts';
import { run } from '../index.ts';
import { unreadable } from '../model/test-readable.ts';

const SEED = 3;
/** Most variants fail within 100 runs, the rarest within some hundreds; the rest is a margin for changes in what the search draws. */
const RUNS_MAX = 8_000;

describe(`wrong variants in at most ${RUNS_MAX} trials (seed ${SEED})`, { timeout: 240_000 }, () => {
  const wrong = selected([])
    .filter((entry) => !isCorrect(entry))
    .map((entry) => ({ name: nameOf(entry), entry }));

  it.concurrent.each(wrong)('$name is caught by what it breaks, and comes back every time', async ({ entry }) => {
    const expected = expectedProperties(entry);

    const { outcome, findings } = await run(
      optionsFor(entry, { seed: SEED, budget: RUNS_MAX, stopAfter: 1, properties: expected }),
      { shrinkMs: 200 },
    );

    expect(outcome).toBe('violated');
    expect(findings).toHaveLength(1);
    expect(findings.flatMap(({ violation }) => unreadable(violation.sentence) ?? [])).toEqual([]);
    expect(expected).toContain(findings[0]?.violation.signature.property);
    expect(findings[0]?.stats.reproduced).toEqual({ k: 5, n: 5 });
  });
});
