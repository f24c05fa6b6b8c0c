/**
 * Replays the examples and writes what they show into docs/properties.md, docs/writers.md and docs/faults.md, and the story of docs/tour.md
 * from its record: `npm run example-pages`.
 * With `-- --check` it writes nothing, replays those of processes too, half a minute, and fails where a page shows something else, or an
 * example does not come back. What cannot be run here for want of a toxiproxy server it says, and leaves out.
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
if (process.exitCode === 1) console.error('run "npm run example-pages" and look at what it changes');

/** Says of each whether it came back, and which ones are left out. */
async function checkProcesses(): Promise<void> {
  await replayProcesses(({ name, reproduced, problem }) => {
    const what = `docs/examples/${name}.json: ${reproduced}`;
    console.log(problem === undefined ? `ok   ${what}` : `OLD  ${what}: ${problem}`);
    if (problem !== undefined) process.exitCode = 1;
  });
  const { names, why } = leftOut();
  if (names.length > 0) console.log(`left out: ${names.join(', ')}: ${why}`);
}

/** Changes a page, or says whether there is something to change. */
function put(name: string, change: (page: string) => string, what: string): void {
  const file = new URL(`../docs/${name}.md`, import.meta.url);
  const text = readFileSync(file, 'utf8');
  const current = change(text);
  if (!values.check) return writeFileSync(file, current);
  console.log(`${text === current ? 'ok  ' : 'OLD '} docs/${name}.md: ${what}`);
  if (text !== current) process.exitCode = 1;
}
