/**
 * kube-controller-manager as a target: a known bug with and without its fix, and every controller on its own.
 *
 *   node scripts/kubernetes.ts build
 *   node scripts/kubernetes.ts hunt [--quick] [--budget 5m] [--replays 20] [--seed N]
 *   node scripts/kubernetes.ts sweep [CONTROLLER …] [--release v1.36.3] [--gates on|off] [--budget 75s] [--seed N]
 *   node scripts/kubernetes.ts table                       writes docs/kubernetes-controllers.md from the stored results
 *
 * `hunt` searches for Kubernetes issue 129795 in three positions: a release before the fix, a release with the fix, and the latter with the
 * feature gates of the fix disabled. `--quick` tries only the first, for two minutes, and stores nothing. Exit code 1 if the bug was not
 * found where it exists, or found where it does not. `sweep` runs a campaign against each controller, with all properties, writers and
 * faults.
 */
import path from 'node:path';
import { encodeCounterexample, redactFinding, renderStory, replay, run, tellStory } from '../harness/index.ts';
import type { Finding } from '../harness/index.ts';
import { EXIT, HarnessError } from '../harness/model/errors.ts';
import { writeWhole } from '../harness/report/write-files.ts';
import {
  controllersNamed,
  managerOf,
  optionsOf,
  positionsOf,
  positionText,
  readList,
  type Controller,
  type Position,
} from './kubernetes/controllers.ts';
import { findingLine, hunt } from './hunt.ts';
import { foundHere, keepResults, sweptOf, writePage, type Hunted, type Swept } from './kubernetes/results.ts';
import { parseFlags, readFlags, runMain } from './run-main.ts';
import { wholeNumber } from './whole-number.ts';

const { positionals, values } = parseFlags({
  allowPositionals: true,
  options: {
    budget: { type: 'string' },
    gates: { type: 'string', default: 'on' },
    quick: { type: 'boolean', default: false },
    release: { type: 'string' },
    replays: { type: 'string', default: '20' },
    seed: { type: 'string', default: '1' },
  },
});

const QUICK_REPLAYS = 5;

const list = readList();
const { seed, replays } = readFlags(() => ({
  seed: wholeNumber('--seed', values.seed),
  replays: values.quick ? QUICK_REPLAYS : wholeNumber('--replays', values.replays),
}));
const measured = `${new Date().toISOString().slice(0, 10)}, 2 shared cores`;

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}

/** Writes the counterexample and the story of a finding, and returns the file. */
function keepFinding(finding: Finding, folder: string, index: number): string {
  const file = path.join('.stalemate', 'kubernetes', folder, `${index}.json`);
  writeWhole(file, encodeCounterexample(redactFinding(finding).counterexample));
  writeWhole(
    file.replace(/json$/, 'txt'),
    renderStory(tellStory(finding), { width: 110, color: false, replay: `npx stalemate replay ${file}` }),
  );
  return file;
}

/** The symptom of issue 129795 is one pod too many. */
function isTheBug({ violation: { signature } }: Finding): boolean {
  return signature.property === 'cardinality' && signature.kind === 'pods';
}

/** Searches for issue 129795 in one position. The search knows nothing about the bug. */
async function huntIn(controller: Controller, position: Position, budget: string): Promise<Hunted> {
  say(`\nissue 129795 in ${positionText(position)}`);
  const options = { ...optionsOf(list, controller, position, await managerOf(position.release)), budget, seed };
  const folder = `129795-${position.release}-${position.gates}`;
  let kept = 0;
  const { result, seconds, hit } = await hunt(options, isTheBug, (finding, after) => {
    say(`   other finding after ${after} s: ${findingLine(finding)}\n   ${keepFinding(finding, folder, (kept += 1))}`);
  });
  const { outcome, runs, inconclusive } = result;
  const figures = { ...position, measured, budget, seed, seconds, runs };
  say(`   ${runs} runs in ${seconds} s: ${hit === undefined ? outcome : 'found'}, ${inconclusive.count} inconclusive`);
  if (hit === undefined) return figures;
  const { finding, afterSeconds } = hit;
  const file = keepFinding(finding, folder, kept + 1);
  say(renderStory(tellStory(finding), { width: 110, color: false, replay: `npx stalemate replay ${file}` }));
  const { reproduced } = await replay(finding.counterexample, { times: replays });
  say(`   found and shrunk after ${afterSeconds} s; replayed ${reproduced.k} of ${reproduced.n}`);
  const replayed = [reproduced.k, reproduced.n] as const;
  return { ...figures, found: { ...foundHere(finding), afterSeconds, replayed } };
}

/** Returns whether each position had the expected result. */
async function huntAll(): Promise<boolean> {
  const [replicaSets] = controllersNamed(list, ['replicaset-controller']);
  if (replicaSets === undefined) return false;
  const controller = { ...replicaSets, sample: list.huntSample };
  const budget = values.budget ?? (values.quick ? '2m' : '5m');
  const positions = positionsOf(list).slice(0, values.quick ? 1 : undefined);
  let ok = true;
  for (const position of positions) {
    const hunted = await huntIn(controller, position, budget);
    const expected = position.gates !== 'on';
    if ((hunted.found !== undefined) !== expected) {
      ok = false;
      say(`   EXPECTED ${expected ? 'to find the bug here' : 'not to find the bug here'}`);
    }
    if (!values.quick) keepResults({ hunts: [hunted] });
  }
  return ok;
}

async function sweep(controller: Controller, position: Position, budget: string): Promise<Swept> {
  const { name } = controller;
  say(`\n== ${name}, ${positionText(position)}`);
  const options = { ...optionsOf(list, controller, position, await managerOf(position.release)), budget, seed };
  const began = performance.now();
  const figures = (): Omit<Swept, 'runs' | 'outcome'> => ({
    ...{ controller: name, ...position, measured, budget, seed },
    seconds: Math.round((performance.now() - began) / 1000),
    ...{ conflicts: 0, staleReads: 0, inconclusive: 0, findings: [] },
  });
  const folder = `${position.release}-${position.gates}-${name === '*' ? 'all' : name}`;
  let kept = 0;
  try {
    const result = await run(options, {
      events: {
        onFinding: (finding) => say(`   ${findingLine(finding)}\n   ${keepFinding(finding, folder, (kept += 1))}`),
      },
    });
    const { inconclusive, warnings, remarks = [], printed = [] } = result;
    for (const [reason, count] of Object.entries(inconclusive.reasons)) say(`   inconclusive, ${count} × ${reason}`);
    for (const warning of warnings) say(`   warning: ${warning}`);
    for (const { sentence, count } of remarks) say(`   remark, ${count} ×: ${sentence}`);
    for (const text of printed) say(`   printed: ${text}`);
    return sweptOf(name, figures(), result);
  } catch (error) {
    if (!(error instanceof HarnessError)) throw error;
    return { ...figures(), runs: 0, outcome: 'failed', why: error.message };
  }
}

async function sweepAll(names: readonly string[]): Promise<void> {
  const release = values.release ?? list.releases.since;
  const gates = release === list.releases.before ? 'none' : values.gates === 'off' ? 'off' : 'on';
  for (const controller of controllersNamed(list, names)) {
    const swept = await sweep(controller, { release, gates }, values.budget ?? '75s');
    const { outcome, runs, seconds, conflicts, staleReads, inconclusive, why = '' } = swept;
    say(
      `   ${outcome}: ${runs} runs in ${seconds} s, ${conflicts} conflicts, ${staleReads} stale reads, ${inconclusive} inconclusive ${why}`,
    );
    keepResults({ sweeps: [swept] });
  }
}

await runMain(async () => {
  const [what, ...names] = positionals;
  if (what === 'build') for (const release of Object.values(list.releases)) say(await managerOf(release));
  else if (what === 'hunt') process.exitCode = (await huntAll()) ? EXIT.holds : EXIT.violated;
  else if (what === 'sweep') await sweepAll(names);
  else if (what === 'table') writePage(list.controllers);
  else throw new HarnessError('USAGE', `got "${what ?? ''}", expected build, hunt, sweep or table`);
});
