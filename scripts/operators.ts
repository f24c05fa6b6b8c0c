/**
 * The track record: known bugs of real operators, found with nothing but their definitions, a sample and the command line.
 *
 *   node scripts/operators.ts build [NAME …]
 *   node scripts/operators.ts hunt [NAME …] [--budget 5m] [--clean 5m] [--replays 20] [--seed N]
 *
 * `hunt` searches in the broken release until the known bug is found, replays it, and gives the mended release the budget `--clean`
 * (`0` for none).
 * Nothing of the search knows what is looked for: all properties are judged, and other findings are told as well. Exit code 1 when a
 * bug was not found, or the mended release was accused of it.
 */
import path from 'node:path';
import { parseArgs } from 'node:util';
import { encodeCounterexample, EXIT, redactFinding, renderStory, replay, run, tellStory } from '../harness/index.ts';
import type { Finding, StalemateOptions } from '../harness/index.ts';
import { writeWhole } from '../harness/report/write-files.ts';
import {
  buildOperator,
  readOperators,
  samplePath,
  type Bug,
  type BuiltOperator,
  type Operator,
} from './operators/builds.ts';

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    budget: { type: 'string', default: '5m' },
    clean: { type: 'string', default: '5m' },
    replays: { type: 'string', default: '20' },
    seed: { type: 'string', default: '1' },
  },
});

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}

function optionsOf(operator: Operator, built: BuiltOperator, budget: string | number): StalemateOptions {
  return {
    command: operator.command.map((word) => word.replace('{built}', built.binary)),
    env: operator.env,
    crds: [...built.crds],
    samples: [samplePath(operator)],
    budget,
    seed: Number(values.seed),
  };
}

function isTheBug({ violation: { signature } }: Finding, bug: Bug): boolean {
  return signature.property === bug.property && signature.kind === bug.kind && signature.field.startsWith(bug.field);
}

function line({ violation, stats }: Finding): string {
  const { preemptions, holds, faults, reproduced } = stats;
  return `${violation.signature.property} of ${violation.signature.kind} (${preemptions}+${holds}+${faults}, ${reproduced.k}/${reproduced.n}): ${violation.sentence}`;
}

/** Searches the broken release; answers whether the bug was found. */
async function find(operator: Operator, bug: Bug): Promise<boolean> {
  say(`\n${operator.name} ${bug.broken}: ${bug.what} (${bug.issue})`);
  const built = await buildOperator(operator, bug.broken);
  const stop = new AbortController();
  const began = performance.now();
  let seen = 0;
  let hit: Finding | undefined;
  const result = await run(optionsOf(operator, built, values.budget), {
    signal: stop.signal,
    events: {
      onFinding: (finding) => {
        seen = (performance.now() - began) / 1000;
        if (!isTheBug(finding, bug)) return say(`   beside it, after ${seen.toFixed(0)} s: ${line(finding)}`);
        hit = finding;
        stop.abort();
      },
    },
  });
  if (hit === undefined) {
    say(
      `   NOT FOUND in ${values.budget}: ${result.outcome}, ${result.runs} trials, ${JSON.stringify(result.inconclusive)}`,
    );
    return false;
  }
  const file = path.join('.stalemate', 'operators', `${operator.name}-${bug.broken}.json`);
  writeWhole(file, encodeCounterexample(redactFinding(hit).counterexample));
  say(renderStory(tellStory(hit), { width: 110, color: false, replay: `npx stalemate replay ${file}` }));
  const { reproduced } = await replay(hit.counterexample, { times: Number(values.replays), env: operator.env });
  say(
    `   found and shrunk after ${seen.toFixed(0)} s, ${result.runs} trials; replayed ${reproduced.k} of ${reproduced.n}`,
  );
  return true;
}

/** Runs the mended release; answers whether it is free of the bug. */
async function acquit(operator: Operator, bug: Bug): Promise<boolean> {
  const built = await buildOperator(operator, bug.mended);
  const { findings, outcome, runs, elapsedMs, contention, inconclusive, warnings } = await run(
    optionsOf(operator, built, values.clean),
  );
  const { conflicts = 0, staleReads = 0 } = contention;
  say(
    `\n${operator.name} ${bug.mended}: ${outcome}, ${runs} trials in ${(elapsedMs / 1000).toFixed(0)} s, ` +
      `${conflicts} conflicts, ${staleReads} stale reads, ${inconclusive.count} inconclusive`,
  );
  for (const [reason, count] of Object.entries(inconclusive.reasons)) say(`   ${count} × ${reason}`);
  for (const warning of warnings) say(`   warning: ${warning}`);
  for (const finding of findings) say(`   ${isTheBug(finding, bug) ? 'THE BUG' : 'another'}: ${line(finding)}`);
  return !findings.some((finding) => isTheBug(finding, bug));
}

const [what, ...names] = positionals;
const operators = readOperators().filter(({ name }) => names.length === 0 || names.includes(name));
if ((what !== 'build' && what !== 'hunt') || operators.length === 0) {
  console.error(
    `got "${positionals.join(' ')}", expected build or hunt, and names out of ${readOperators()
      .map(({ name }) => name)
      .join(', ')}`,
  );
  process.exitCode = EXIT.usage;
} else {
  let ok = true;
  for (const operator of operators) {
    for (const bug of operator.bugs) {
      if (what === 'build') {
        for (const version of [bug.broken, bug.mended]) say((await buildOperator(operator, version)).binary);
        continue;
      }
      ok = (await find(operator, bug)) && ok;
      if (values.clean !== '0') ok = (await acquit(operator, bug)) && ok;
    }
  }
  process.exitCode = ok ? EXIT.holds : EXIT.violated;
}
