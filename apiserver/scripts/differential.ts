/**
 * Compares the embedded API server with a real kube-apiserver: `npm run differential -- --budget 10m [--seed N] [--only widgets,pods]`,
 * and runs the conformance cases and the claims of apiserver/docs/claims.md on both: `npm run differential -- --conformance`.
 *
 * Prints sequences per second, the coverage and every class of difference with a minimal sequence. Exit code 1 when a class is
 * unexplained. Needs the binaries of `scripts/control-plane.ts build` (or envtest's).
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { runClaims } from '../fidelity/claims/claim.ts';
import { CLAIMS } from '../fidelity/claims/claims.ts';
import { claimsPage } from '../fidelity/claims/page.ts';
import { runCampaign } from '../fidelity/differential/campaign.ts';
import { KINDS } from '../fidelity/differential/kinds.ts';
import { runSuite } from '../fidelity/conformance/suite.ts';
import { reportText } from '../fidelity/differential/report.ts';
import { startBoth } from '../fidelity/differential/servers.ts';
import { ApiServerError } from '../objects/errors.ts';
import { budgetMs, runMain } from './command-line.ts';

const USAGE = `npm run differential -- [--budget 10m] [--sequences N] [--seed N] [--only widgets,pods] [--parallel 4] [--output FILE]
npm run differential -- --conformance

kinds: ${KINDS.map(({ id }) => id).join(' ')}
families: ${[...new Set(KINDS.map(({ family }) => family))].join(' ')}`;

function countOf(text: string): number {
  if (!/^[1-9]\d*$/.test(text))
    throw new ApiServerError('USAGE', `got --sequences "${text}", expected a number from 1`);
  return Number(text);
}

/** Parses a comma-separated list of kinds and families into the ids of kinds; a family stands for all its kinds. */
function kindsOf(text: string): readonly string[] {
  return text.split(',').flatMap((word) => {
    const found = KINDS.filter(({ id, family }) => id === word || family === word).map(({ id }) => id);
    if (found.length === 0)
      throw new ApiServerError('USAGE', `got --only "${word}", expected kinds or families; --help lists them`);
    return found;
  });
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      budget: { type: 'string', default: '1m' },
      sequences: { type: 'string' },
      seed: { type: 'string' },
      only: { type: 'string' },
      parallel: { type: 'string' },
      output: { type: 'string' },
      conformance: { type: 'boolean' },
      help: { type: 'boolean' },
    },
  });
  if (values.help === true) {
    console.log(USAGE);
    return;
  }
  if (values.conformance === true) return conformance();
  const seed = values.seed === undefined ? Math.floor(Math.random() * 2 ** 30) : Number(values.seed);
  console.log(`seed ${seed}`);
  const result = await runCampaign({
    budgetMs: budgetMs(values.budget),
    seed,
    ...(values.only === undefined ? {} : { only: kindsOf(values.only) }),
    ...(values.sequences === undefined ? {} : { sequences: countOf(values.sequences) }),
    ...(values.parallel === undefined ? {} : { parallel: Number(values.parallel) }),
    progress: (line) => console.log(line),
  });
  const text = reportText(result);
  if (values.output !== undefined) writeFileSync(values.output, text);
  console.log(text);
  process.exitCode = result.classes.length > 0 || result.errors.length > 0 ? 1 : 0;
}

/** Runs the conformance cases and the claims on both servers; the results of each server must match the claims page. */
async function conformance(): Promise<void> {
  const { ours, real, stop } = await startBoth();
  try {
    for (const { client } of [ours, real]) {
      const results = await runSuite(client);
      const failed = results.filter(({ problem }) => problem !== undefined);
      for (const { name, problem } of failed) console.log(`FAILED on ${client.endpoint.name}: ${name}\n  ${problem}`);
      console.log(`${client.endpoint.name}: ${results.length - failed.length} of ${results.length} cases hold`);
      if (failed.length > 0) process.exitCode = 1;
    }
    const page = claimsPage(await runClaims(CLAIMS, ours.client), await runClaims(CLAIMS, real.client));
    const current = page === readFileSync(new URL('../docs/claims.md', import.meta.url), 'utf8');
    console.log(
      `${CLAIMS.length} claims: ${current ? 'both as apiserver/docs/claims.md says' : 'apiserver/docs/claims.md is old, run "npm run claims-page"'}`,
    );
    if (!current) process.exitCode = 1;
  } finally {
    await stop();
  }
}

await runMain(main);
