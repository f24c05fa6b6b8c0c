/**
 * Runs command lines in one process and records what each of them does outside of it: `node observed-commands.ts RESULTS LINES`.
 *
 * Owns: the observation. The working directory is a project folder beside a home folder. Commands share no state.
 */
import childProcess from 'node:child_process';
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { Socket } from 'node:net';
import path from 'node:path';
import workerThreads from 'node:worker_threads';

export interface Observed {
  readonly code: number;
  /** The programs that were started. */
  readonly programs: readonly string[];
  /** The addresses that were connected to. */
  readonly connections: readonly string[];
  /** The number of worker threads that were started: only they import the project's modules. */
  readonly workers: number;
  /** What was opened outside of the project: paths relative to the folder around it. */
  readonly opened: readonly string[];
  /** The files whose contents changed: paths relative to the folder around the project. */
  readonly written: readonly string[];
}

const [results = '', lines = '[]'] = process.argv.slice(2);
const project = fs.realpathSync(process.cwd());
const around = path.dirname(project);

let programs: string[] = [];
let opened = new Set<string>();
let connections: string[] = [];
let workers = 0;

type Call = (...args: unknown[]) => unknown;

/** Wraps the functions to record the first argument of each call. */
function observe(owner: object, names: readonly string[], note: (first: unknown) => void): void {
  for (const name of names) {
    const own = Reflect.get(owner, name) as Call;
    Reflect.set(owner, name, function observed(this: unknown, ...args: unknown[]) {
      note(args[0]);
      return own.apply(this, args);
    });
  }
}

observe(childProcess, ['spawn', 'spawnSync', 'exec', 'execSync', 'execFile', 'execFileSync', 'fork'], (program) => {
  programs.push(String(program));
});
observe(Socket.prototype, ['connect'], (where) => {
  const [{ host, path: pipe }] = [[where].flat()[0] as { readonly host?: string; readonly path?: string }];
  connections.push(pipe ?? host ?? 'localhost');
});
const noteOpened = (file: unknown): void => {
  if (typeof file !== 'string' && !(file instanceof URL)) return;
  const place = path.resolve(file instanceof URL ? file.pathname : file);
  if (place.startsWith(around + path.sep) && !`${place}${path.sep}`.startsWith(project + path.sep))
    opened.add(path.relative(around, place));
};
observe(fs, ['openSync', 'open', 'readFileSync', 'readFile', 'createReadStream'], noteOpened);
observe(fs.promises, ['open', 'readFile'], noteOpened);
const { Worker } = workerThreads;
workerThreads.Worker = class extends Worker {
  constructor(...args: ConstructorParameters<typeof Worker>) {
    workers += 1;
    super(...args);
  }
};
syncBuiltinESMExports();

/** Returns the content of each file below the folder. */
function contents(): ReadonlyMap<string, string> {
  const names = fs.readdirSync(around, { recursive: true, encoding: 'utf8', withFileTypes: true });
  const files = names.filter((one) => one.isFile() && !one.parentPath.includes('node-compile-cache'));
  const own = files.map((one) => path.join(one.parentPath, one.name));
  return new Map(own.map((file) => [path.relative(around, file), fs.readFileSync(file, 'latin1')]));
}

const { main } = await import('../cli/main.ts');
const observations: Observed[] = [];
for (const args of JSON.parse(lines) as readonly (readonly string[])[]) {
  const before = contents();
  [programs, opened, connections, workers] = [[], new Set(), [], 0];
  // Interrupt a command that serves as soon as it prints that it does.
  const write = process.stdout.write.bind(process.stdout);
  process.stdout.write = (text: string | Uint8Array): boolean => {
    if (String(text).startsWith('serving')) setImmediate(() => process.kill(process.pid, 'SIGINT'));
    return write(text);
  };
  const code = await main(args);
  process.stdout.write = write;
  const seen = { programs, connections, workers, opened: [...opened].toSorted() };
  const after = contents();
  const written = [...new Set([...before.keys(), ...after.keys()])].filter(
    (file) => before.get(file) !== after.get(file),
  );
  observations.push({ code, ...seen, written: written.toSorted() });
}
fs.writeFileSync(results, JSON.stringify(observations));
process.exit(0);
