/**
 * Compares the answers of the embedded API server and of a real one to definitions, samples and manifests of public projects.
 *
 * npm run definitions all projects of apiserver/scripts/definitions/projects.json
 * npm run definitions -- --quick a bounded part: always the same one unless --seed is given
 * npm run definitions -- --only jobset,kueue some of them
 * npm run definitions -- --fetch downloads what is missing and compares nothing
 *
 * Exit code 1 when a difference is not explained in apiserver/scripts/definitions/known.ts. Needs Go, a module proxy, and the binaries of
 * `scripts/control-plane.ts build` (or envtest's).
 */
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { startBoth } from '../fidelity/differential/servers.ts';
import { Random } from './random.ts';
import { ApiServerError } from '../objects/errors.ts';
import { compareProject, type Bounds } from './definitions/compare.ts';
import { builtInKinds } from './definitions/kinds.ts';
import { documentsOf, readProjects, type Project } from './definitions/projects.ts';
import { projectLine, summaryText, type ProjectResult } from './definitions/report.ts';
import { runMain, wholeNumber } from './command-line.ts';

/** The part that `--quick` compares, in about a minute. */
const QUICK = { projects: 5, perKind: 2, variants: 1 };
const WHOLE = { perKind: 40, variants: 10 };

const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    fetch: { type: 'boolean', default: false },
    only: { type: 'string' },
    seed: { type: 'string', default: '1' },
    'per-kind': { type: 'string' },
    output: { type: 'string' },
  },
});

function chosenProjects(seed: number): readonly Project[] {
  const all = readProjects();
  if (values.only !== undefined)
    return values.only.split(',').map((name) => {
      const found = all.find((one) => one.name === name);
      if (found !== undefined) return found;
      const names = all.map((one) => one.name).join(', ');
      throw new ApiServerError('USAGE', `got --only "${name}", expected projects out of ${names}`);
    });
  if (!values.quick) return all;
  return new Random(seed).shuffle(all).slice(0, QUICK.projects);
}

async function compareAll(projects: readonly Project[], perKind: number | undefined): Promise<void> {
  const { ours, real, stop } = await startBoth();
  const results: ProjectResult[] = [];
  const errors: string[] = [];
  const bounded = values.quick ? QUICK : WHOLE;
  const bounds: Bounds = { ...bounded, perKind: perKind ?? bounded.perKind, seen: new Set() };
  try {
    const servers = { ours: ours.client, real: real.client, builtIn: await builtInKinds(real.client) };
    for (const project of projects) {
      const began = performance.now();
      try {
        const compared = await compareProject(project.name, await documentsOf(project), servers, bounds);
        const seconds = (performance.now() - began) / 1000;
        const result = { ...compared, name: project.name, version: project.version, seconds };
        results.push(result);
        // Written after every project, so that an interrupt leaves the results so far.
        if (values.output !== undefined) writeFileSync(values.output, JSON.stringify(results, null, 1));
        console.log(projectLine(result));
      } catch (error) {
        errors.push(`${project.name}: ${error instanceof Error ? error.message : String(error)}`);
      }
    }
  } finally {
    await stop();
  }
  const text = summaryText(results, errors);
  console.log(`\n${text}`);
  const failed = errors.length > 0 || results.some(({ unexplained }) => unexplained.length > 0);
  process.exitCode = failed ? 1 : 0;
}

await runMain(async () => {
  const seed = wholeNumber('--seed', values.seed);
  const { 'per-kind': most } = values;
  const perKind = most === undefined ? undefined : wholeNumber('--per-kind', most);
  const projects = chosenProjects(seed);
  console.log(`${projects.length} projects, seed ${seed}`);
  if (values.fetch)
    for (const project of projects)
      console.log(`${project.name} ${project.version}: ${(await documentsOf(project)).length} documents`);
  else await compareAll(projects, perKind);
});
