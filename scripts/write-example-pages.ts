/**
 * Replays the examples and writes what they show into docs/properties.md, docs/writers.md and docs/faults.md, and the story of docs/tour.md
 * from its record: `npm run example-pages`.
 * With `-- --processes` those of processes are replayed too, which takes minutes. With `-- --check` it writes nothing, and fails where a page shows something else, or an example does not come back.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { blocksOf, fillIn } from './examples/pages.ts';
import { EXAMPLES } from './examples/table.ts';
import { withStory } from './examples/tour-story.ts';

const { values } = parseArgs({
  options: { check: { type: 'boolean', default: false }, processes: { type: 'boolean', default: false } },
});

for (const example of EXAMPLES)
  for (const block of await blocksOf(example, values.processes))
    put(block.page, (page) => fillIn(page, block), block.entry);
put('tour', withStory, 'the story');
if (process.exitCode === 1) console.error('run "npm run example-pages" and look at what it changes');

/** Changes a page, or says whether there is something to change. */
function put(name: string, change: (page: string) => string, what: string): void {
  const file = new URL(`../docs/${name}.md`, import.meta.url);
  const text = readFileSync(file, 'utf8');
  const current = change(text);
  if (!values.check) return writeFileSync(file, current);
  console.log(`${text === current ? 'ok  ' : 'OLD '} docs/${name}.md: ${what}`);
  if (text !== current) process.exitCode = 1;
}
