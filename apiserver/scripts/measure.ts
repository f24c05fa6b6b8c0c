/**
 * Writes the table of README.md: this server, a real one (as envtest starts it), the same with kwok, and controller-runtime's fake client.
 *
 * `node apiserver/scripts/measure.ts [--write]`. Needs the binaries of `node scripts/control-plane.ts build`, and Go. Start at `main`.
 */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { createInterface, type Interface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import * as k8s from '@kubernetes/client-node';
import { startControlPlane } from '../fidelity/control-plane/control-plane.ts';
import { startApiServer } from '../index.ts';
import { runMain } from './command-line.ts';

const README = new URL('../README.md', import.meta.url);
const BEGIN = '<!-- npm run apiserver-table -->\n';
const END = '<!-- end -->';
const NAMESPACE = 'default';
const CREATED = 1000;
const RESET = 100;
const TIMES = 5;
const TITLES = ['in process', 'on a socket', 'envtest', 'envtest with kwok', 'fake client (Go)'];
const ROWS = ['startMs', 'createMs', 'resetMs', 'memoryMb'] as const;
const LABELS: { readonly [row in (typeof ROWS)[number]]: string } = {
  startMs: 'from the call that starts it to the first answer, ms',
  createMs: `one of ${CREATED} creates in a row, ms`,
  resetMs: `back to the start after ${RESET} objects, ms`,
  memoryMb: 'memory of its processes afterwards, MB',
};

type Measured = { readonly [row in (typeof ROWS)[number]]: number };

/** Measures creating objects and removing them by `reset`. */
async function load(
  api: k8s.CoreV1Api,
  reset: () => void | Promise<void>,
): Promise<Pick<Measured, 'createMs' | 'resetMs'>> {
  const create = (name: string): Promise<k8s.V1ConfigMap> =>
    api.createNamespacedConfigMap({ namespace: NAMESPACE, body: { metadata: { name }, data: { a: 'b' } } });
  const began = performance.now();
  for (let at = 0; at < CREATED; at++) await create(`a-${at}`);
  const createMs = (performance.now() - began) / CREATED;
  await reset();
  const resets: number[] = [];
  for (let time = 0; time < TIMES; time++) {
    for (let at = 0; at < RESET; at++) await create(`a-${at}`);
    const before = performance.now();
    await reset();
    resets.push(performance.now() - before);
  }
  return { createMs, resetMs: median(resets) };
}

async function inProcess(): Promise<Measured> {
  const running = startApiServer();
  const before = process.memoryUsage().rss;
  const loaded = await load(running.kubeConfig(k8s).makeApiClient(k8s.CoreV1Api), () => running.reset());
  const child = fileURLToPath(new URL('measure/first-answer.ts', import.meta.url));
  const starts = Array.from({ length: TIMES }, () =>
    Number(execFileSync(process.execPath, [child], { encoding: 'utf8' })),
  );
  return { startMs: median(starts), memoryMb: (process.memoryUsage().rss - before) / 2 ** 20, ...loaded };
}

/** Measures a server in a process of its own, with TLS, as another program would use it. */
async function onSocket(): Promise<Measured> {
  const began = performance.now();
  const child = spawn(process.execPath, [fileURLToPath(new URL('measure/listening.ts', import.meta.url))], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  try {
    const lines = createInterface({ input: child.stdout });
    const api = clientOf(await nextLine(lines));
    await api.listNamespace();
    const startMs = performance.now() - began;
    const loaded = await load(api, async () => {
      child.stdin.write('reset\n');
      await nextLine(lines);
    });
    return { startMs, memoryMb: residentMb(child.pid ?? 0), ...loaded };
  } finally {
    child.kill();
  }
}

async function nextLine(lines: Interface): Promise<string> {
  const [line] = (await once(lines, 'line')) as [string];
  return line;
}

async function real(kwok: boolean): Promise<Measured> {
  const began = performance.now();
  await using plane = await startControlPlane({ kwok });
  const api = clientOf(plane.kubeconfig);
  await api.listNamespace();
  const startMs = performance.now() - began;
  const loaded = await load(api, async () => {
    await api.deleteCollectionNamespacedConfigMap({ namespace: NAMESPACE });
  });
  return { startMs, memoryMb: plane.pids.reduce((sum, pid) => sum + residentMb(pid), 0), ...loaded };
}

/** Measures controller-runtime's fake client, as a compiled test binary. */
function fakeClient(): Measured {
  const folder = fileURLToPath(new URL('measure/fake-client', import.meta.url));
  const binary = fileURLToPath(new URL('measure/fake-client/build/fake-client', import.meta.url));
  execFileSync('go', ['build', '-o', binary, '.'], { cwd: folder, stdio: ['ignore', 'inherit', 'inherit'] });
  const runs = Array.from(
    { length: TIMES },
    () => JSON.parse(execFileSync(binary, [String(CREATED), String(RESET)], { encoding: 'utf8' })) as Measured,
  );
  const of = (row: keyof Measured): number => median(runs.map((run) => run[row]));
  return { startMs: of('startMs'), createMs: of('createMs'), resetMs: of('resetMs'), memoryMb: of('memoryMb') };
}

function clientOf(kubeconfig: string): k8s.CoreV1Api {
  const config = new k8s.KubeConfig();
  config.loadFromString(kubeconfig);
  return config.makeApiClient(k8s.CoreV1Api);
}

function residentMb(pid: number): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024;
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

function shown(value: number): string {
  return value >= 10 ? value.toFixed(0) : value >= 1 ? value.toFixed(1) : value.toFixed(2);
}

await runMain(async () => {
  const { values } = parseArgs({ options: { write: { type: 'boolean', default: false } } });
  const measured = [await inProcess(), await onSocket(), await real(false), await real(true), fakeClient()];
  const table = [
    `| | ${TITLES.join(' | ')} |`,
    `|${' --- |'.repeat(TITLES.length + 1)}`,
    ...ROWS.map((row) => `| ${LABELS[row]} | ${measured.map((one) => shown(one[row])).join(' | ')} |`),
    '',
    `Node ${process.versions.node}, ${cpus().length} cores (${cpus()[0]?.model.trim()}), medians of ${TIMES}; regenerated by \`npm run apiserver-table -- --write\`.`,
    '',
  ].join('\n');
  console.log(table);
  if (!values.write) return;
  const text = readFileSync(README, 'utf8');
  const [before = '', after = ''] = [text.split(BEGIN, 1)[0], text.split(END)[1]];
  writeFileSync(README, `${before}${BEGIN}\n${table}\n${END}${after}`);
});
