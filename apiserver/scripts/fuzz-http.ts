/**
 * Sends bad input to the embedded API server and to a real one: `npm run fuzz-http -- --budget 5m [--seed N] [--only path,query,body]`.
 *
 * Prints how many requests were compared and every class of difference with its shortest example. Exit code 1 when a class is unexplained.
 * Needs the binaries of `scripts/control-plane.ts build` (or envtest's).
 *
 * With `--cost` it looks for requests that are expensive for the embedded server: in CPU time, and in memory beyond what was stored and
 * answered. Prints the worst requests of both kinds. Exit code 1 when a request got no answer, or took a second or 64 MiB. Linux only, no
 * binaries needed.
 */
import { spawn } from 'node:child_process';
import { parseArgs } from 'node:util';
import { isTooCostly, reportCost, runCost, type CostServer } from '../fidelity/fuzz-http/cost.ts';
import { runFuzz } from '../fidelity/fuzz-http/campaign.ts';
import { reportFuzz } from '../fidelity/fuzz-http/report.ts';
import { budgetMs, runMain } from './command-line.ts';

await runMain(async () => {
  const { values } = parseArgs({
    options: {
      budget: { type: 'string', default: '1m' },
      seed: { type: 'string' },
      only: { type: 'string' },
      cost: { type: 'boolean', default: false },
    },
  });
  const seed = values.seed === undefined ? Math.floor(Math.random() * 2 ** 30) : Number(values.seed);
  console.log(`seed ${seed}`);
  const common = { budgetMs: budgetMs(values.budget), seed, progress: (line: string) => console.log(line) };
  if (values.cost) {
    const result = await runCost({ ...common, start });
    console.log(reportCost(result));
    process.exitCode = isTooCostly(result) ? 1 : 0;
  } else {
    const result = await runFuzz({
      ...common,
      ...(values.only === undefined ? {} : { only: values.only.split(',') }),
    });
    console.log(reportFuzz(result));
    process.exitCode = result.classes.length > 0 ? 1 : 0;
  }
});

/** Starts a server in a process of its own, whose time and memory are measured. */
function start(): Promise<CostServer> {
  const serve = new URL('serve.ts', import.meta.url).pathname;
  const child = spawn(process.execPath, [serve], { stdio: ['ignore', 'pipe', 'inherit'] });
  return new Promise((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`serve ended with ${code}`)));
    child.stdout.once('data', (line: Buffer) => resolve({ child, port: Number(/:(\d+)/.exec(line.toString())?.[1]) }));
  });
}
