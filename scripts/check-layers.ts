/**
 * Checks the layer rule: imports go one way through the folders, and only certain folders may use time and randomness.
 *
 * Owns: which folder may import which, and which modules and names are restricted to which folders. Does not own: parsing (source-scan.ts),
 * finding import cycles (import-circles.ts). Run as `npm run layers`. Start at `checkLayers`; to allow a new folder, add it to `LAYERS` or
 * `API_SERVER` (a folder in harness/execution: to `EXECUTION`).
 */
import { posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  API_SERVER_PACKAGE,
  apiServerExports,
  apiServerFile,
  type Exports,
  namesApiServer,
} from './api-server-package.ts';
import { circlesOf } from './import-circles.ts';
import { type Complaint, report, repositoryFiles, type SourceFile } from './repository-files.ts';
import { type ImportUse, scanSource } from './source-scan.ts';

/** Later rows may import earlier ones; folders of one row may not import each other. */
type Rows = readonly (readonly string[])[];

const LAYERS: Rows = [
  ['model'],
  ['determinism'],
  ['gate', 'schedule', 'oracle', 'report'],
  ['actors', 'clusters'],
  ['execution'],
  ['cli'],
];

/** The folders of the API server's package, and the files next to them. `package` stands for all files without a row of their own. */
const API_SERVER: Rows = [
  ['objects', 'clock', 'ids'],
  ['wire'],
  ['server'],
  ['client-node', 'processes'],
  ['fidelity'],
  ['package'],
  ['scripts'],
];
const BESIDE: ReadonlySet<string> = new Set(['clock', 'ids']);

/** The same inside harness/execution; `.` stands for the files next to its folders. `gate` contains only tests. */
const EXECUTION: Rows = [
  ['.'],
  ['project', 'recording'],
  ['config'],
  ['run'],
  ['hosts', 'search'],
  ['worker'],
  ['campaign', 'replay', 'lab'],
  ['soak'],
  ['gate'],
];

const REGISTRY = 'harness/cli/registry.ts';
const LAYER_RULE = ruleOf(LAYERS);
const API_SERVER_RULE = ruleOf(API_SERVER);
const EXECUTION_RULE = ruleOf(EXECUTION.slice(1));

/** Modules that open sockets or start processes, and the folders that may use them. */
const SHELL_MODULES = /^node:(net|tls|dgram|dns|http|https|http2|child_process|worker_threads|cluster)(\/|$)/;
const SHELL =
  /^harness\/(determinism|actors|clusters|execution|cli)\/|^harness\/[^/]+\/http\/|^apiserver\/(server\/http|client-node|processes|fidelity|scripts)\//;
/** Pure folders: they may not use platform modules. */
const PURE = /^harness\/model\/|^apiserver\/(objects|wire)\//;
/** What pure folders may import from the API server's package: its own pure folders, and one module for a type. */
const PURE_PARTS = /^stalemate-apiserver\/(objects|wire)\/|^stalemate-apiserver\/client-node\/transport$/;
/** The only packages that a pure file imports: `re2js`, which is pure as well, and the module that loads it lazily (decision 0037). */
const PURE_PACKAGE = { path: 'apiserver/wire/go-regexp.ts', specifiers: ['re2js', 'node:module'] };
const TIMER_MODULES = /^node:timers(\/promises)?$/;

const TEST = /\.test\.ts$|^harness\/test\//;
/** Test helpers are beside the tests, and may import hosts as tests do. */
const FOR_TESTS = /testing\.ts$|\/test-[a-z-]+\.ts$/;
/** Controllers and scripts are ordinary programs: they may use real time and randomness. */
const MAY_USE_CLOCKS =
  /^harness\/determinism\/|^apiserver\/((clock|ids)\.ts$|scripts\/)|^controllers-under-test\/|^scripts\/|^ci\//;
/** The clock of the API server's package: only harness/determinism may import it. */
const CLOCK = `${API_SERVER_PACKAGE}/clock`;
const SOURCE = /\.(ts|mts|cts|js|mjs|cjs)$/;

interface Edge {
  readonly from: string;
  readonly to: string;
}

export interface LayerReport {
  readonly checked: number;
  readonly complaints: readonly Complaint[];
  /** For example `execution → actors, gate`; one line per folder. */
  readonly graph: readonly string[];
}

/** Checks all source files of the repository. */
export function checkLayers(files: readonly SourceFile[]): LayerReport {
  const sources = files.filter(({ path }) => SOURCE.test(path) && unitOf(path) !== undefined);
  const entries = apiServerExports();
  const complaints: Complaint[] = [];
  const edges: Edge[] = [];
  const graph = new Map<string, Set<string>>();
  for (const { path, text } of sources) {
    const imported = new Set<string>();
    graph.set(path, imported);
    const scan = scanSource(path, text);
    for (const use of scan.imports) {
      const target = targetOf(path, use.specifier, entries);
      const problem = target === undefined ? moduleProblem(path, use) : importProblem(path, target, use.specifier);
      if (problem !== undefined) complaints.push({ where: `${path}:${use.line}`, problem });
      if (target !== undefined) imported.add(target);
      const from = unitOf(path);
      const to = target === undefined ? undefined : unitOf(target);
      if (from !== undefined && to !== undefined && from !== to && !TEST.test(path)) edges.push({ from, to });
    }
    if (MAY_USE_CLOCKS.test(path) || TEST.test(path)) continue;
    for (const { name, line } of scan.clockAndRandom) {
      complaints.push({
        where: `${path}:${line}`,
        problem: `uses ${name}: a run must give the same history twice, so time, randomness and ids come from harness/determinism, or are passed in`,
      });
    }
  }
  for (const [first = '', ...others] of circlesOf(graph)) {
    const problem = `imports itself by way of ${[...others, first].join(', ')}: move what they share into a file of its own`;
    complaints.push({ where: first, problem });
  }
  return { checked: sources.length, complaints, graph: graphOf(edges) };
}

/** Resolves an import to a path in the repository; undefined for any other module. */
function targetOf(path: string, specifier: string, entries: Exports): string | undefined {
  if (specifier === 'stalemate') return 'harness/index.ts';
  if (namesApiServer(specifier)) return apiServerFile(specifier, entries);
  return specifier.startsWith('.') ? posix.join(posix.dirname(path), specifier) : undefined;
}

/** The unit that a file belongs to: a folder of `harness` or `apiserver`, `harness` for its entry files, or a top-level folder. */
function unitOf(path: string): string | undefined {
  const [top, second = '', third] = path.split('/');
  if (top === 'apiserver') return `apiserver/${apiServerPart(second, third === undefined)}`;
  if (top === 'harness') return third === undefined ? 'harness' : second;
  return top === 'properties' || top === 'controllers-under-test' || top === 'scripts' ? top : undefined;
}

function apiServerPart(name: string, isFile: boolean): string {
  if (!isFile) return name;
  const stem = name.replace(/\.ts$/, '');
  return BESIDE.has(stem) ? stem : 'package';
}

const inApiServer = (unit: string | undefined): boolean => unit?.startsWith('apiserver/') === true;

function importProblem(path: string, target: string, specifier: string): string | undefined {
  const from = unitOf(path);
  const to = unitOf(target);
  if (inApiServer(from)) return apiServerProblem(path, target);
  if (inApiServer(to)) return packageProblem(path, target, specifier);
  if (from === 'execution' && to === 'execution') return executionProblem(path, target);
  if (from === undefined || to === undefined || from === to) return undefined;
  if (from === 'scripts' || from === 'test') return undefined;
  if (from === 'controllers-under-test') {
    return `imports ${target}: a controller gets a KubeConfig and nothing else, like any controller; copy what it needs into its folder`;
  }
  if (to === 'scripts' || to === 'test')
    return `imports ${target}: nothing but ${to} may use ${to}; move the code to the folder that owns the idea`;
  if (from === 'properties') return propertyProblem(target, to);
  if (to === 'properties' || to === 'controllers-under-test') {
    return path === REGISTRY
      ? undefined
      : `imports ${target}: only ${REGISTRY} knows properties and controllers; take it from there or pass it in`;
  }
  return from === 'harness' ? undefined : harnessProblem(from, to, target);
}

/** Checks imports inside the API server's package. Tests may import any of its folders. */
function apiServerProblem(path: string, target: string): string | undefined {
  const [from = '', to = ''] = [path, target].map((file) => unitOf(file)?.replace('apiserver/', ''));
  if (!inApiServer(unitOf(target)))
    return `imports ${target}: the API server is a package of its own and knows nothing outside of it; pass it in, or move it along`;
  if (from === to || TEST.test(path)) return undefined;
  const fromRow = rowOf(API_SERVER, from);
  const toRow = rowOf(API_SERVER, to);
  if (fromRow < 0 || toRow < 0)
    return `imports ${target}: apiserver/${fromRow < 0 ? from : to} has no place in the order of its folders; add it to API_SERVER in scripts/check-layers.ts`;
  if (toRow < fromRow) return undefined;
  return `imports ${target}: in apiserver ${from} may not know ${to} (${API_SERVER_RULE}); move what both need to the earlier one`;
}

/** Checks imports of the API server's package from outside: only its exports, and its clock only in harness/determinism. */
function packageProblem(path: string, target: string, specifier: string): string | undefined {
  if (specifier.startsWith('.'))
    return `imports ${target}: the API server is a package; import what it exports ("${API_SERVER_PACKAGE}/…", see apiserver/package.json)`;
  if (specifier === CLOCK && !path.startsWith('harness/determinism/'))
    return `imports ${specifier}: time comes from harness/determinism`;
  if (PURE.test(path) && !PURE_PARTS.test(specifier))
    return `imports ${specifier}: harness/model is pure and may use objects and wire of ${API_SERVER_PACKAGE} only`;
  return unitOf(path) === 'controllers-under-test'
    ? `imports ${specifier}: a controller gets a KubeConfig and nothing else, like any controller`
    : undefined;
}

function propertyProblem(target: string, to: string): string | undefined {
  return to === 'model' || to === 'oracle'
    ? undefined
    : `imports ${target}: a property is a pure function of the history and sees harness/model and harness/oracle only`;
}

function harnessProblem(from: string, to: string, target: string): string | undefined {
  const fromRow = rowOf(LAYERS, from);
  const toRow = rowOf(LAYERS, to);
  if (fromRow < 0)
    return `lives in harness/${from}, which has no place in the layer rule; add it to LAYERS in scripts/check-layers.ts, or move the file`;
  if (to === 'harness')
    return `imports ${target}: the entry file is for users of the library; import the file that owns the name`;
  if (toRow < 0 || toRow < fromRow) return undefined;
  return `imports ${target}: ${from} may not know ${to}; move the shared noun to harness/model, or pass the function in from a later layer`;
}

/** Checks imports inside harness/execution. Tests and their helpers may import any folder. */
function executionProblem(path: string, target: string): string | undefined {
  const [from, to] = [path, target].map((file) => file.split('/').slice(2, -1)[0] ?? '.') as [string, string];
  if (from === to || TEST.test(path) || FOR_TESTS.test(path)) return undefined;
  const fromRow = rowOf(EXECUTION, from);
  const toRow = rowOf(EXECUTION, to);
  if (fromRow < 0 || toRow < 0)
    return `imports ${target}: execution/${fromRow < 0 ? from : to} has no place in the order of its folders; add it to EXECUTION in scripts/check-layers.ts`;
  if (toRow < fromRow) return undefined;
  return `imports ${target}: inside execution ${from} may not know ${to} (${EXECUTION_RULE}); move what both need to the earlier one`;
}

function rowOf(rows: Rows, folder: string): number {
  return rows.findIndex((row) => row.includes(folder));
}

function ruleOf(rows: Rows): string {
  return rows.map((row) => (row.length === 1 ? row[0] : `{${row.join(', ')}}`)).join(' → ');
}

/** Checks imports of modules outside the repository. */
function moduleProblem(path: string, { specifier }: ImportUse): string | undefined {
  if (!/^(harness|apiserver)\//.test(path) || TEST.test(path)) return undefined;
  if (namesApiServer(specifier))
    return `imports ${specifier}, which the package does not export; see apiserver/package.json`;
  if (TIMER_MODULES.test(specifier) && !MAY_USE_CLOCKS.test(path))
    return `imports ${specifier}: timers come from harness/determinism, so that virtual time reaches them`;
  if (path === PURE_PACKAGE.path && PURE_PACKAGE.specifiers.includes(specifier)) return undefined;
  if (PURE.test(path))
    return `imports ${specifier}: harness/model and apiserver/{objects,wire} are pure and depend on nothing`;
  return SHELL_MODULES.test(specifier) && !SHELL.test(path)
    ? `imports ${specifier}: sockets and processes live only in */http, apiserver/{client-node,processes,fidelity}, actors, clusters, execution and cli; keep this folder a function of its inputs`
    : undefined;
}

function graphOf(edges: readonly Edge[]): readonly string[] {
  const targets = new Map<string, Set<string>>();
  for (const { from, to } of edges) targets.set(from, (targets.get(from) ?? new Set()).add(to));
  return [...targets]
    .sort(([a], [b]) => a.localeCompare(b))
    .map(([from, to]) => `${from} → ${[...to].sort().join(', ')}`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { checked, complaints, graph } = checkLayers(repositoryFiles());
  const hint = `The rule (right may import left, neighbours in braces never): ${LAYER_RULE}\nInside apiserver: ${API_SERVER_RULE}\nInside execution: ${EXECUTION_RULE}\nWho imports whom now:\n${graph.map((line) => `  ${line}`).join('\n')}`;
  report('layers', checked, complaints, hint);
}
