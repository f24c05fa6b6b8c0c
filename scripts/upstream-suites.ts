/**
 * Runs test suites of other projects against a server: the embedded one, or a real control plane.
 *
 *   npm run upstream [-- --only client,flux-ssa,…] [--server embedded|real] [--build-only]
 *
 * The modules come from the Go module proxy at the versions below and are copied out of the module cache, which is read-only; the
 * repository contains nothing of them, and they are not changed. Each suite gets a fresh, bare server, as with envtest. A suite passes if
 * all its tests pass; its line also shows how many pass on a real server. Exit code 1 if a suite fails.
 */
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { $ } from 'zx';
import { buildFolder } from './languages/controllers.ts';
import { lastLines, runToEnd, start, StepFailed, until } from './languages/processes.ts';
import { openServer } from './languages/server.ts';
import { parseFlags } from './run-main.ts';

interface Suite {
  /** `path@version` of the Go module. */
  readonly module: string;
  /** The package, relative to the module. */
  readonly folder: string;
  readonly args: readonly string[];
  /** The number of tests that pass on kube-apiserver 1.36.3. */
  readonly onReal: number;
}

/** The controller-runtime release for client-go 0.36, and the one before. */
const CONTROLLER_RUNTIME = 'sigs.k8s.io/controller-runtime@v0.24.1';
const EARLIER_CONTROLLER_RUNTIME = 'sigs.k8s.io/controller-runtime@v0.23.3';
const FLUX_SSA = 'github.com/fluxcd/pkg/ssa@v0.70.0';
const CLUSTER_API = 'sigs.k8s.io/cluster-api@v1.13.6';

function ginkgo(folder: string, onReal: number, module = CONTROLLER_RUNTIME): Suite {
  return { module, folder: `pkg/${folder}`, args: ['--ginkgo.no-color'], onReal };
}

/** Suites of the standard test runner, whose count includes subtests and their parents. */
function plain(module: string, folder: string, onReal: number, skip = ''): Suite {
  return { module, folder, args: skip === '' ? ['-test.v'] : ['-test.v', '-test.skip', skip], onReal };
}

/** Suites that use a server, the most relevant ones first. */
const SUITES: { readonly [name: string]: Suite } = {
  client: ginkgo('client', 296),
  // Some tests request an informer with a cancelled context, and expect a cache that is not filled yet: a fast server may win that race.
  // They get a second attempt, which the count shows as flaked.
  cache: { ...ginkgo('cache', 276), args: ['--ginkgo.no-color', '--ginkgo.flake-attempts=2'] },
  controllerutil: ginkgo('controller/controllerutil', 60),
  envtest: ginkgo('envtest', 28),
  webhook: ginkgo('webhook', 8),
  builder: ginkgo('builder', 72),
  cluster: ginkgo('cluster', 15),
  controller: ginkgo('controller', 32),
  'internal-controller': ginkgo('internal/controller', 75),
  handler: ginkgo('handler', 96),
  recorder: ginkgo('internal/recorder', 5),
  source: ginkgo('source', 19),
  manager: ginkgo('manager', 106),
  'client-0.23': ginkgo('client', 295, EARLIER_CONTROLLER_RUNTIME),
  // Server-side apply of whole sets. The skipped test depends on RBAC, which these servers do not enforce.
  'flux-ssa': plain(FLUX_SSA, '.', 114, 'TestApplyAllStaged_AppliesRoleAndRoleBinding'),
  'flux-jsondiff': plain(FLUX_SSA, 'jsondiff', 115),
  'capi-patch': plain(CLUSTER_API, 'util/patch/test', 62),
  'capi-merge': plain(CLUSTER_API, 'internal/controllers/topology/cluster/structuredmerge', 42),
  'capi-webhooks': plain(CLUSTER_API, 'internal/webhooks/test', 44),
};

const BUILD_TIMEOUT_MS = 20 * 60_000;
/** The longest takes a minute and a half. */
const SUITE_TIMEOUT_MS = 5 * 60_000;

async function main(): Promise<number> {
  const { values } = parseFlags({
    options: {
      only: { type: 'string' },
      server: { type: 'string', default: 'embedded' },
      'build-only': { type: 'boolean' },
    },
  });
  const names = values.only?.split(',') ?? Object.keys(SUITES);
  const unknown = names.find((name) => !Object.hasOwn(SUITES, name));
  if (unknown !== undefined) {
    console.error(`got --only "${unknown}", expected some of ${Object.keys(SUITES).join(',')}`);
    return 2;
  }
  const scratch = mkdtempSync(join(tmpdir(), 'stalemate-upstream-'));
  try {
    const suites = names.map((name) => ({ name, suite: SUITES[name] as Suite }));
    for (const { name, suite } of suites) await build(name, suite, join(scratch, 'build.log'));
    if (values['build-only'] === true) return 0;
    const rows: { readonly ok: boolean; readonly line: string }[] = [];
    for (const { name, suite } of suites) {
      const row = await rowOf(name, suite, values.server, scratch);
      console.log(row.line);
      rows.push(row);
    }
    return rows.every(({ ok }) => ok) ? 0 : 1;
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** A writable copy of the module: suites write beside their files. */
async function sourcesOf({ module }: Suite): Promise<string> {
  const folder = buildFolder(join('upstream', module.replaceAll('/', '-')));
  if (existsSync(join(folder, 'go.mod'))) return folder;
  const { stdout } = await $`go mod download -json ${module}`;
  const { Dir } = JSON.parse(stdout) as { readonly Dir: string };
  mkdirSync(folder, { recursive: true });
  cpSync(Dir, folder, { recursive: true });
  await $`chmod -R u+w ${folder}`;
  return folder;
}

async function build(name: string, suite: Suite, log: string): Promise<void> {
  const sources = await sourcesOf(suite);
  const args = ['-n', '10', 'go', 'test', '-vet=off', '-c', '-o', binaryOf(name, sources), `./${suite.folder}`];
  await runToEnd(`building the suite ${name}`, { file: 'nice', args, cwd: sources }, log, BUILD_TIMEOUT_MS);
}

function binaryOf(name: string, sources: string): string {
  return join(sources, 'bin', `${name}.test`);
}

interface Outcome {
  readonly ok: boolean;
  /** Undefined if the suite did not complete. */
  readonly count: string | undefined;
}

/**
 * Runs a suite and returns its row of the table. A suite without a count crashed: the webhook suite starts each server on the port of the
 * previous one, which may still be in use on a busy machine, and an assertion outside of a test then ends the program. Such a suite is run
 * once more, which the row shows; a suite with failed tests is not.
 */
async function rowOf(
  name: string,
  suite: Suite,
  which: string,
  scratch: string,
): Promise<{ readonly ok: boolean; readonly line: string }> {
  const began = performance.now();
  const first = await runSuite(name, suite, which, scratch);
  const { ok, count } = first.count === undefined ? await runSuite(name, suite, which, scratch) : first;
  const took = `${((performance.now() - began) / 1000).toFixed(1)} s`.padStart(8);
  const counted = count ?? 'no count: it did not complete';
  const tries = first.count === undefined ? ', second try' : '';
  return {
    ok,
    line: `${ok ? 'ok    ' : 'FAILED'} ${name.padEnd(20)} ${took}  ${counted} (real: ${suite.onReal}${tries})`,
  };
}

async function runSuite(name: string, suite: Suite, which: string, scratch: string): Promise<Outcome> {
  const sources = await sourcesOf(suite);
  const server = await openServer(which, scratch, true);
  try {
    const command = {
      file: binaryOf(name, sources),
      args: suite.args,
      cwd: join(sources, suite.folder),
      env: { KUBECONFIG: server.kubeconfig, USE_EXISTING_CLUSTER: 'true' },
    };
    const running = start(command, join(scratch, `${name}.log`));
    try {
      await until(`the suite ${name} to end`, SUITE_TIMEOUT_MS, () => running.ended() !== undefined);
    } catch (error) {
      if (!(error instanceof StepFailed)) throw error;
      console.error(error.message);
    } finally {
      await running.stop();
    }
    const output = running.output();
    const count = countIn(output);
    const ok = running.ended() === 'ended with exit code 0' && count !== undefined;
    if (!ok) console.error(failuresIn(output));
    return { ok, count };
  } finally {
    await server.stop();
  }
}

/** Ginkgo's own count, or the number of result lines of the standard test runner. */
function countIn(output: string): string | undefined {
  const counted = /([1-9]\d* Passed \| \d+ Failed \| (?:\d+ Flaked \| )?\d+ Pending)/.exec(output)?.[1];
  if (counted !== undefined) return counted;
  const passed = output.match(/^ *--- PASS/gm)?.length ?? 0;
  const failed = output.match(/^ *--- FAIL/gm)?.length ?? 0;
  return passed === 0 ? undefined : `${passed} Passed | ${failed} Failed`;
}

function failuresIn(output: string): string {
  const summary = output.lastIndexOf('Summarizing');
  if (summary >= 0) return output.slice(summary, summary + 20_000);
  const failed = output.match(/^ *--- FAIL.*$/gm) ?? [];
  return [...failed, lastLines(output)].join('\n');
}

process.exitCode = await main();
