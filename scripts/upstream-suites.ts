/**
 * Runs controller-runtime's own suites against a server: the embedded one, or a real control plane.
 *
 *   npm run upstream [-- --only client,cache,…] [--server embedded|real] [--build-only]
 *
 * The module comes from the Go module proxy at the version below and is copied out of the module cache, which is read-only; nothing of
 * it is kept in the repository, and nothing in it is changed. Each suite gets a fresh, bare server, as envtest gives it one. A suite
 * passes when it passes as a whole. Exit code 1 when one does not.
 */
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { $ } from 'zx';
import { buildFolder } from './languages/controllers.ts';
import { lastLines, runToEnd, start, StepFailed, until } from './languages/processes.ts';
import { openServer } from './languages/server.ts';

/** The line of releases that goes with client-go 0.36. */
const MODULE = 'sigs.k8s.io/controller-runtime@v0.24.1';

/** Suites that talk to a server, the telling ones first. */
const SUITES: { readonly [name: string]: string } = {
  client: 'client',
  cache: 'cache',
  controllerutil: 'controller/controllerutil',
  envtest: 'envtest',
  webhook: 'webhook',
  builder: 'builder',
  cluster: 'cluster',
  controller: 'controller',
  'internal-controller': 'internal/controller',
  handler: 'handler',
  recorder: 'internal/recorder',
  source: 'source',
  manager: 'manager',
};

const BUILD_TIMEOUT_MS = 20 * 60_000;
/** The longest takes a minute and a half. */
const SUITE_TIMEOUT_MS = 5 * 60_000;

async function main(): Promise<number> {
  const { values } = parseArgs({
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
    const sources = await fetchSources();
    for (const name of names) await build(name, sources, join(scratch, 'build.log'));
    if (values['build-only'] === true) return 0;
    const rows: { readonly ok: boolean; readonly line: string }[] = [];
    for (const name of names) {
      const row = await runSuite(name, sources, values.server, scratch);
      console.log(row.line);
      rows.push(row);
    }
    return rows.every(({ ok }) => ok) ? 0 : 1;
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** A copy that can be built and run in: suites write beside their files. */
async function fetchSources(): Promise<string> {
  const folder = buildFolder(join('upstream', MODULE.replaceAll('/', '-')));
  if (existsSync(join(folder, 'go.mod'))) return folder;
  const { stdout } = await $`go mod download -json ${MODULE}`;
  const { Dir } = JSON.parse(stdout) as { readonly Dir: string };
  mkdirSync(folder, { recursive: true });
  cpSync(Dir, folder, { recursive: true });
  await $`chmod -R u+w ${folder}`;
  return folder;
}

async function build(name: string, sources: string, log: string): Promise<void> {
  const args = ['-n', '10', 'go', 'test', '-c', '-o', binaryOf(name, sources), `./pkg/${SUITES[name] ?? name}`];
  await runToEnd(`building the suite ${name}`, { file: 'nice', args, cwd: sources }, log, BUILD_TIMEOUT_MS);
}

function binaryOf(name: string, sources: string): string {
  return join(sources, 'bin', `${name}.test`);
}

async function runSuite(
  name: string,
  sources: string,
  which: string,
  scratch: string,
): Promise<{ readonly ok: boolean; readonly line: string }> {
  const server = await openServer(which, scratch, true);
  const began = performance.now();
  try {
    const command = {
      file: binaryOf(name, sources),
      args: ['--ginkgo.no-color'],
      cwd: join(sources, 'pkg', SUITES[name] ?? name),
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
    const took = `${((performance.now() - began) / 1000).toFixed(1)} s`.padStart(8);
    return {
      ok,
      line: `${ok ? 'ok    ' : 'FAILED'} ${name.padEnd(20)} ${took}  ${count ?? 'no count: it did not get to its end'}`,
    };
  } finally {
    await server.stop();
  }
}

/** Ginkgo's own count. */
function countIn(output: string): string | undefined {
  return /([1-9]\d* Passed \| \d+ Failed \| \d+ Pending)/.exec(output)?.[1];
}

function failuresIn(output: string): string {
  const summary = output.lastIndexOf('Summarizing');
  return summary < 0 ? lastLines(output) : output.slice(summary, summary + 20_000);
}

process.exitCode = await main();
