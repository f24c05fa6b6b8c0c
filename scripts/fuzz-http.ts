/**
 * Bad input to the embedded API server and to a real kube-apiserver: `npm run fuzz-http -- --budget 5m [--seed N] [--only path,query,body]`.
 *
 * Prints how many requests were compared and every class of difference with its shortest example. Exit code 1 when one is
 * unexplained. Needs the binaries of `scripts/control-plane.ts build` (or envtest's).
 */
import { parseArgs } from 'node:util';
import { runFuzz } from '../harness/clusters/fuzz-http/campaign.ts';
import { reportFuzz } from '../harness/clusters/fuzz-http/report.ts';
import { HarnessError } from '../harness/model/errors.ts';
import { budgetMs } from './budget.ts';

try {
  const { values } = parseArgs({
    options: { budget: { type: 'string', default: '1m' }, seed: { type: 'string' }, only: { type: 'string' } },
  });
  const seed = values.seed === undefined ? Math.floor(Math.random() * 2 ** 30) : Number(values.seed);
  console.log(`seed ${seed}`);
  const result = await runFuzz({
    budgetMs: budgetMs(values.budget),
    seed,
    ...(values.only === undefined ? {} : { only: values.only.split(',') }),
    progress: (line) => console.log(line),
  });
  console.log(reportFuzz(result));
  process.exitCode = result.classes.length > 0 ? 1 : 0;
} catch (error) {
  if (!(error instanceof HarnessError)) throw error;
  console.error(error.message);
  process.exitCode = error.exitCode;
}
