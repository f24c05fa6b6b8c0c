/**
 * Counts the causes reported for each wrong variant of the catalogue. Each variant has one bug, so the expected count is 1.
 *
 *   node scripts/causes.ts [--language go] [--only TEXT …] [--seeds 1,2,3] [--budget 2000|5m] [--json FILE]
 *
 * Without `--language`, runs the variants that run inside the harness. Prints a line for each variant and seed, with the key of each cause
 * and the number of its symptoms; at the end the median and the maximum, which include campaigns without a finding. `--json` appends a line
 * of JSON per campaign. Exit code 1 if the median is not 1 or a variant has more than two.
 */
import { appendFileSync } from 'node:fs';
import { run } from '../harness/index.ts';
import { isCorrect, nameOf, optionsFor, selected, selectedIn } from './catalogue.ts';
import { parseFlags, runMain } from './run-main.ts';

const { values } = parseFlags({
  options: {
    language: { type: 'string' },
    only: { type: 'string', multiple: true, default: [] },
    seeds: { type: 'string', default: '1' },
    budget: { type: 'string', default: '2000' },
    json: { type: 'string' },
  },
});

const CAUSES_MAX = 2;

async function main(): Promise<number> {
  const { language, only, json } = values;
  const entries = language === undefined ? selected(only) : selectedIn(language, only);
  const budget = /^\d+$/.test(values.budget) ? Number(values.budget) : values.budget;
  const numbers: number[] = [];
  for (const entry of entries.filter((one) => !isCorrect(one))) {
    for (const seed of values.seeds.split(',').map(Number)) {
      const { runs, findings } = await run(optionsFor(entry, { seed, budget }));
      const causes = findings.map(({ violation: { cause, sentence, signature }, stats }) => ({
        ...{ cause, signature, sentence, count: stats.count, symptoms: stats.symptoms ?? [] },
        ...{ grade: stats.grade, deviations: [stats.preemptions, stats.holds, stats.faults] },
      }));
      numbers.push(causes.length);
      process.stdout.write(`${nameOf(entry)}, seed ${seed}, ${runs} runs: ${causes.length}\n`);
      for (const { cause, count, symptoms } of causes)
        process.stdout.write(`    ${cause?.key ?? '-'}: ${count} runs, ${symptoms.length} symptoms\n`);
      if (json !== undefined) appendFileSync(json, `${JSON.stringify({ name: nameOf(entry), seed, runs, causes })}\n`);
    }
  }
  const ordered = numbers.toSorted((a, b) => a - b);
  const half = ordered.length / 2;
  const median = ((ordered[Math.ceil(half) - 1] ?? 0) + (ordered[Math.floor(half)] ?? 0)) / 2;
  const most = ordered.at(-1) ?? 0;
  const none = ordered.filter((number) => number === 0).length;
  process.stdout.write(
    `\n${ordered.length} campaigns, ${none} of them without a finding: ${median} causes at the median, ${most} at most\n`,
  );
  return median === 1 && most <= CAUSES_MAX ? 0 : 1;
}

await runMain(async () => {
  process.exitCode = await main();
});
