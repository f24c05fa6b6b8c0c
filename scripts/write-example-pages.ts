/**
 * Replays the examples and writes their output into docs/properties.md, docs/writers.md and docs/faults.md, and the story of docs/tour.md
 * from its record: `npm run example-pages`. With `-- --check` it writes nothing, also replays the examples of processes (half a minute),
 * and fails if a page is out of date or an example does not reproduce. Examples that need a missing toxiproxy server are skipped with a
 * message.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { blocksOf, fillIn } from './examples/pages.ts';
import { leftOut, replayProcesses } from './examples/processes.ts';
import { EXAMPLES } from './examples/table.ts';
import { withStory } from './examples/tour-story.ts';
import { parseFlags } from './run-main.ts';

const { values } = parseFlags({ options: { check: { type: 'boolean', default: false } } });

for (const example of EXAMPLES)
  for (const block of await blocksOf(example)) put(block.page, (page) => fillIn(page, block), block.entry);
put('tour', withStory, 'the story');
if (values.check) await checkProcesses();
if (process.exitCode === 1) console.error('run "npm run example-pages" and review the changes');

/** Prints for each example whether it reproduced, and which ones were skipped. */
async function checkProcesses(): Promise<void> {
  await replayProcesses(({ name, reproduced, problem }) => {
    const what = `docs/examples/${name}.json: ${reproduced}`;
    console.log(problem === undefined ? `ok   ${what}` : `OLD  ${what}: ${problem}`);
    if (problem !== undefined) process.exitCode = 1;
  });
  const { names, why } = leftOut();
  if (names.length > 0) console.log(`skipped: ${names.join(', ')}: ${why}`);
}

/** Changes a page, or with `--check` prints whether it is up to date. */
function put(name: string, change: (page: string) => string, what: string): void {
  const file = new URL(`../docs/${name}.md`, import.meta.url);
  const text = readFileSync(file, 'utf8');
  const current = change(text);
  if (!values.check) return writeFileSync(file, current);
  console.log(`${text === current ? 'ok  ' : 'OLD '} docs/${name}.md: ${what}`);
  if (text !== current) process.exitCode = 1;
}
