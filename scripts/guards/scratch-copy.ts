/**
 * A copy of the repository whose files may be edited, and runs of vitest and the compiler in it.
 *
 * Owns: making the copy, restoring files, mapping test results to titles. Temporary files of the tests are inside the copy. Does not own:
 * when it is removed. Start at {@link ScratchCopy}.
 */
import { spawn } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { TestResults } from '../guarded-tests.ts';
import { REPOSITORY_ROOT, repositoryPaths } from '../repository-files.ts';
import { namePatternOf } from './guard.ts';

/** Tests that hang without a guard are killed after this; with all guards, no test takes a tenth of this time, even on a busy machine. */
const HANGS_MS = 600_000;
const STATUS_OF_RUN: ReadonlySet<string> = new Set(['passed', 'failed']);

/** The result of one title: its tests that ran, how many failed, and the first line of a failure. */
export interface TitleResult {
  readonly title: string;
  readonly passed: number;
  readonly failed: number;
  readonly why: string;
}

interface Ended {
  readonly code: number | null;
  readonly output: string;
}

export class ScratchCopy {
  readonly #folder = mkdtempSync(join(tmpdir(), 'stalemate-guards-'));
  readonly #root = join(this.#folder, 'repository');
  readonly #signal: AbortSignal;

  /** @param signal - When it aborts, what runs in the copy is killed. */
  constructor(signal: AbortSignal) {
    this.#signal = signal;
    try {
      this.#fill();
    } catch (error) {
      this.remove();
      throw error;
    }
  }

  #fill(): void {
    for (const path of repositoryPaths()) {
      mkdirSync(dirname(join(this.#root, path)), { recursive: true });
      cpSync(join(REPOSITORY_ROOT, path), join(this.#root, path), { verbatimSymlinks: true });
    }
    symlinkSync(join(REPOSITORY_ROOT, 'node_modules'), join(this.#root, 'node_modules'));
    mkdirSync(join(this.#folder, 'tmp'));
  }

  remove(): void {
    rmSync(this.#folder, { recursive: true, force: true, maxRetries: 3 });
  }

  read(path: string): string {
    return readFileSync(join(this.#root, path), 'utf8');
  }

  write(path: string, text: string): void {
    writeFileSync(join(this.#root, path), text);
  }

  /** Runs a function while files have other contents, and restores them afterwards. */
  async edited<T>(texts: ReadonlyMap<string, string>, act: () => Promise<T>): Promise<T> {
    const originals = [...texts.keys()].map((path) => [path, this.read(path)] as const);
    for (const [path, text] of texts) this.write(path, text);
    try {
      return await act();
    } finally {
      for (const [path, text] of originals) this.write(path, text);
    }
  }

  /** Returns the compiler errors; names that an edit leaves unused are allowed. */
  async compile(): Promise<readonly string[]> {
    const program = join('node_modules', 'typescript', 'bin', 'tsc');
    const words = ['-p', '.', '--noUnusedLocals', 'false', '--pretty', 'false'];
    // Later calls check only what an edit affects.
    const known = ['--incremental', '--tsBuildInfoFile', join(this.#folder, 'types.json')];
    const { code, output } = await this.#run([program, ...words, ...known]);
    if (code === 0) return [];
    const errors = output.split('\n').filter((line) => line.includes('error TS'));
    return errors.length > 0 ? errors : [`tsc ended with ${code}: ${output}`];
  }

  /** Runs the tests of one file that have one of the titles. Undefined if there are no results at all. */
  async test(file: string, titles: readonly string[]): Promise<readonly TitleResult[] | undefined> {
    const results = join(this.#folder, 'results.json');
    rmSync(results, { force: true });
    const reporters = ['--reporter=json', `--outputFile.json=${results}`];
    const words = ['run', file, '-t', namePatternOf(titles), ...reporters];
    await this.#run([join('node_modules', 'vitest', 'vitest.mjs'), ...words]);
    if (!existsSync(results)) return undefined;
    const { testResults } = JSON.parse(readFileSync(results, 'utf8')) as TestResults;
    const ran = testResults
      .filter(({ name }) => name.endsWith(`/${file}`))
      .flatMap(({ assertionResults }) => assertionResults)
      .filter(({ status }) => STATUS_OF_RUN.has(status));
    return titles.map((title) => {
      const pattern = new RegExp(namePatternOf([title]), 's');
      const own = ran.filter(({ fullName }) => pattern.test(fullName));
      const failures = own.filter(({ status }) => status === 'failed');
      const [why = ''] = (failures[0]?.failureMessages?.[0] ?? '').split('\n');
      return { title, passed: own.length - failures.length, failed: failures.length, why };
    });
  }

  /** Runs in a process group of its own, so that all of its processes can be killed. */
  #run(words: readonly string[]): Promise<Ended> {
    if (this.#signal.aborted) return Promise.resolve({ code: null, output: 'interrupted' });
    return new Promise((resolve, reject) => {
      const child = spawn(process.execPath, words, {
        cwd: this.#root,
        env: { ...process.env, NO_COLOR: '1', TMPDIR: join(this.#folder, 'tmp') },
        stdio: ['ignore', 'pipe', 'pipe'],
        detached: true,
      });
      let output = '';
      for (const stream of [child.stdout, child.stderr])
        stream.on('data', (piece: Buffer) => (output += String(piece)));
      const stop = (): void => endGroup(child.pid);
      const timer = setTimeout(stop, HANGS_MS);
      this.#signal.addEventListener('abort', stop);
      const settled = (): void => {
        clearTimeout(timer);
        this.#signal.removeEventListener('abort', stop);
      };
      child.once('error', (error) => {
        settled();
        reject(error);
      });
      child.once('close', (code) => {
        settled();
        resolve({ code, output });
      });
    });
  }
}

function endGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // It has exited meanwhile.
  }
}
