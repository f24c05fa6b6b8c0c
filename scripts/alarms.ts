/**
 * Checks for false alarms: many runs of the correct controllers, which must have no finding.
 *
 *   node scripts/alarms.ts [--language go|python|rust|java] [--only TEXT …] [--runs 1000] [--seed 1]
 *
 * Without `--language`, runs the controllers that run inside the harness. Prints a line for each, and the story of each finding. Exit code
 * 1 if there is a finding.
 */
import { renderStory, run, tellStory } from '../harness/index.ts';
import { isCorrect, nameOf, optionsFor, selected, selectedIn, some } from './catalogue.ts';
import { wholeNumber } from './whole-number.ts';
import { parseFlags, runMain } from './run-main.ts';

const { values } = parseFlags({
  options: {
    language: { type: 'string' },
    only: { type: 'string', multiple: true, default: [] },
    runs: { type: 'string', default: '1000' },
    seed: { type: 'string', default: '1' },
  },
});

async function main(): Promise<void> {
  const { language, only } = values;
  const [budget, seed] = [wholeNumber('--runs', values.runs), wholeNumber('--seed', values.seed)];
  const entries = (language === undefined ? selected(only) : selectedIn(language, only)).filter(isCorrect);
  for (const entry of some(entries, only)) {
    const began = performance.now();
    const { runs, findings, inconclusive } = await run(optionsFor(entry, { budget, seed }));
    const seconds = (performance.now() - began) / 1000;
    for (const finding of findings)
      console.log(renderStory(tellStory(finding), { width: 120, color: false, replay: '' }));
    console.log(
      `${nameOf(entry)}: ${runs} runs in ${seconds.toFixed(0)} s, ${findings.length} findings, ${inconclusive.count} inconclusive`,
    );
    for (const [reason, count] of Object.entries(inconclusive.reasons)) console.log(`    ${count}: ${reason}`);
    if (findings.length > 0) process.exitCode = 1;
  }
}

await runMain(main);
