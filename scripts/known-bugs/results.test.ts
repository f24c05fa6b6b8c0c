import { expect, test } from 'vitest';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { readPairs, type Pair } from './pairs.ts';
import { readResults, tableText, type Search } from './results.ts';

const PAIR: Pair = {
  name: 'thing-7',
  folder: '',
  version: 1,
  project: 'thing',
  language: 'Go',
  family: 'creates from a stale list',
  issue: 'https://example.com/7',
  what: 'creates two',
  fix: 'https://example.com/8',
  withBug: 'v1',
  withoutBug: 'v2',
  build: { kind: 'go' },
  crds: [],
  samples: ['sample.yaml'],
  command: ['{built}/controller'],
  env: {},
  expected: [{ property: 'cardinality', kind: 'pods', field: '' }],
};

function search(seed: number, seconds: number): Search {
  return {
    seed,
    found: true,
    seconds,
    runs: seed * 10,
    load: seed,
    property: 'cardinality',
    deviations: 1,
    others: [],
  };
}

const MISSED: Search = { seed: 9, found: false, seconds: 600, runs: 900, load: 2, others: [] };

test('shows the median and the range of the searches that found the bug', () => {
  const searches = [search(1, 40), search(2, 10), search(3, 200), MISSED];

  const table = tableText(
    [PAIR],
    [
      {
        name: 'thing-7',
        measured: '2026-11-26',
        searches,
        replays: { k: 19, n: 20 },
        without: { runs: 1000, seconds: 5, accused: false, others: [] },
      },
    ],
  );

  expect(table).toContain(
    '1 pairs in 1 languages and 1 families; found with at least 3 seeds: 1. Measured 2026-11-26 at a load of 1 to 3.',
  );
  expect(table.split('\n').at(-2)).toBe(
    '| thing (Go): [creates two](https://example.com/7) | creates from a stale list | v1 → [v2](https://example.com/8) ' +
      '| `cardinality` | 3 of 4 | 40 s (10–200) | 20 (10–30) | 1 | 19 of 20 |  | silent in 1000 runs |  |',
  );
});

test('shows the reason for a missed bug, and pairs that were not tried', () => {
  const missed = { ...PAIR, notFound: 'no writer does that' };

  expect(tableText([missed], [{ name: 'thing-7', measured: '2026-11-26', searches: [MISSED] }])).toContain(
    '| 0 of 1 |  |  |  |  |  |  | no writer does that |',
  );
  expect(tableText([PAIR], [])).toContain('| not tried |');
});

test('has a pair for every result, and every file that a pair names', () => {
  const pairs = readPairs();

  expect(pairs.length).toBeGreaterThan(0);
  for (const { name } of readResults()) expect(pairs.map((pair) => pair.name)).toContain(name);
  for (const { build, folder, withBug, withoutBug, samples } of pairs) {
    const releases = build.kind === 'go-module' ? [] : [join('releases', withBug), join('releases', withoutBug)];
    for (const path of [...samples, ...releases])
      expect(existsSync(join(folder, path)), `${folder}: ${path}`).toBe(true);
  }
});
