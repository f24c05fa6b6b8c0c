import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startOurs, type Side } from '../differential/servers.ts';
import { KNOWN } from '../differential/known.ts';
import { runCase } from './case.ts';
import { CASES } from './cases.ts';
import { conformanceTable, DIFFERS, NOT_APPLICABLE } from './table.ts';

let ours: Side;
beforeAll(async () => {
  ours = await startOurs();
});
afterAll(() => ours.stop());

for (const one of CASES)
  it(`${one.name} (${one.items.join(', ')})`, async () => {
    expect((await runCase(one, ours.client)).problem).toBeUndefined();
  });

it('has a current table, with documented differences', () => {
  const read = (path: string): string => readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8');
  // The formatter pads table cells.
  const bare = (text: string): string => text.replace(/ +/g, ' ').replace(/-{2,}/g, '--');
  expect(bare(read('apiserver/docs/conformance.md')), 'run npm run conformance-table').toBe(bare(conformanceTable()));

  const documented = read('apiserver/DIFFERENCES.md');
  const phrases = [...DIFFERS.values(), ...KNOWN.map((known) => known.documented)];
  expect(phrases.filter((phrase) => !documented.includes(phrase))).toEqual([]);
  expect(CASES.flatMap(({ items }) => items).filter((item) => DIFFERS.has(item) || NOT_APPLICABLE.has(item))).toEqual(
    [],
  );
});
