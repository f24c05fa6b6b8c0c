/**
 * Checks the pages about properties, writers and faults: every entry of the registry has an example, and the examples shown are up to date.
 */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { properties, writers } from '../harness/cli/registry.ts';
import { FAULT_KINDS } from '../harness/model/fault-kinds.ts';
import { blocksOf, entriesOf, readExample, shownIn, type PageName } from './examples/pages.ts';
import { doesShow } from './examples/shows.ts';
import { EXAMPLES } from './examples/table.ts';

const PAGES: readonly PageName[] = ['properties', 'writers', 'faults'];
const NAMES: { readonly [page in PageName]: readonly string[] } = {
  properties: properties.map(({ name }) => name),
  writers: writers.map(({ name }) => name),
  faults: FAULT_KINDS,
};

const read = (page: PageName): string => readFileSync(new URL(`../docs/${page}.md`, import.meta.url), 'utf8');

/** Returns the text under a heading. */
function entry(page: PageName, name: string): string {
  return (
    read(page)
      .split(/^## /m)
      .find((section) => section.startsWith(`${name}\n`)) ?? ''
  );
}

describe.each(PAGES)('docs/%s.md', (page) => {
  it.each(NAMES[page])('has an entry with an example for %s', (name) => {
    const text = entry(page, name);
    const isExample = EXAMPLES.some((one) => entriesOf(one).some((at) => at.page === page && at.entry === name));

    expect(isExample || /`[\w/-]+\.test\.ts`/.test(text), `an example of ${name}`).toBe(true);
  });
});

it.each(EXAMPLES)('has an example of its entry in docs/examples/$name.json, and shows its finding there', (example) => {
  const counterexample = readExample(example);
  const words = counterexample.sentence.split(/\s+/).slice(0, 4).join(' ');

  expect(doesShow(counterexample, example)).toBe(true);
  for (const { page, entry: name } of entriesOf(example)) {
    const shown = shownIn(read(page), name)?.replaceAll(/\s+/g, ' ');
    expect(shown, 'run npm run example-pages').toContain(example.byHand === 'holds' ? 'the property holds' : words);
  }
});

// One example of each page; `npm run example-pages -- --check` replays all of them.
it.each(['no-lost-update', 'annotation-toucher', 'close-watch'])(
  'shows the output of a replay of %s',
  { timeout: 120_000 },
  async (name) => {
    const example = EXAMPLES.find((one) => one.name === name);
    if (example === undefined) throw new Error(`no example "${name}"`);

    for (const { page, entry: at, text } of await blocksOf(example))
      expect(shownIn(read(page), at), 'run npm run example-pages').toBe(text);
  },
);
