/**
 * The embedded API server against a real kube-apiserver: `npm run differential -- --budget 10m [--seed N] [--only widgets,pods]`.
 *
 * Prints sequences per second, what was covered and every class of difference with a minimal sequence. Exit code 1 when one is
 * unexplained. Needs the binaries of `scripts/control-plane.ts build` (or envtest's).
 */
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { runCampaign } from '../harness/clusters/differential/campaign.ts';
import { reportText } from '../harness/clusters/differential/report.ts';
import { HarnessError } from '../harness/model/errors.ts';

const UNITS_MS: { readonly [unit: string]: number } = { s: 1000, m: 60_000, h: 3_600_000 };

function durationMs(text: string): number {
  const [, number, unit = ''] = /^(\d+)([smh])$/.exec(text) ?? [];
  if (number === undefined)
    throw new HarnessError('USAGE', `got --budget "${text}", expected a time such as 30s, 10m or 1h`);
  return Number(number) * (UNITS_MS[unit] ?? 0);
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      budget: { type: 'string', default: '1m' },
      seed: { type: 'string' },
      only: { type: 'string' },
      parallel: { type: 'string' },
      output: { type: 'string' },
    },
  });
  const seed = values.seed === undefined ? Math.floor(Math.random() * 2 ** 30) : Number(values.seed);
  console.log(`seed ${seed}`);
  const result = await runCampaign({
    budgetMs: durationMs(values.budget),
    seed,
    ...(values.only === undefined ? {} : { only: values.only.split(',') }),
    ...(values.parallel === undefined ? {} : { parallel: Number(values.parallel) }),
    progress: (line) => console.log(line),
  });
  const text = reportText(result);
  if (values.output !== undefined) writeFileSync(values.output, text);
  console.log(text);
  process.exitCode = result.classes.length > 0 || result.errors.length > 0 ? 1 : 0;
}

try {
  await main();
} catch (error) {
  if (!(error instanceof HarnessError)) throw error;
  console.error(error.message);
  process.exitCode = error.exitCode;
}
