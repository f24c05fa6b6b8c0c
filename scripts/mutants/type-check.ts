/**
 * Finds the TypeScript mutants that the compiler refuses: Node would run them, but no build would succeed.
 *
 * A type error corresponds to what the compilers of other languages refuse, such as the use of an object that may be absent. All mutants
 * are checked in one call, each as one file that imports the original modules: every export has a declared type, so an error is reported in
 * the file that causes it.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { type Mutant, ROOT } from './generate.ts';
import type { Language } from './syntax.ts';

/** The folder of the mutants' files. It is in the clone, so that modules can import their packages. */
const FOLDER = fileURLToPath(new URL('../../.stalemate/mutant-types/', import.meta.url));
const COMPILER = fileURLToPath(new URL('../../node_modules/typescript/bin/tsc', import.meta.url));

/**
 * The repository's settings with some strict options off: any remaining error would also occur in a project with only "strictNullChecks".
 */
const SETTINGS = {
  extends: '../../../tsconfig.json',
  compilerOptions: {
    ...{ declaration: false, isolatedDeclarations: false, rootDir: '../../..' },
    ...{ noUnusedLocals: false, noImplicitReturns: false, noImplicitAny: false },
  },
  include: ['*.ts'],
  exclude: [],
};

const IMPORTED = /(from\s+|import\()'(\.\.?\/[^']+)'/g;
const COMPLAINT = /^(\d+)\.ts\(\d+,\d+\): error /;

/** Returns the ids of the mutants that the compiler refuses; empty for languages other than TypeScript. */
export async function refusedTypes(language: Language, mutants: readonly Mutant[]): Promise<ReadonlySet<string>> {
  if (language !== 'typescript') return new Set();
  const folder = join(FOLDER, String(process.pid));
  mkdirSync(folder, { recursive: true });
  try {
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(SETTINGS));
    for (const [n, mutant] of mutants.entries()) writeFileSync(join(folder, `${n}.ts`), moved(mutant, folder));
    const child = spawn(process.execPath, [COMPILER, '--noEmit', '--pretty', 'false', '-p', '.'], {
      cwd: folder,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [output] = await Promise.all([text(child.stdout), once(child, 'close')]);
    const refused = new Set<string>();
    for (const line of output.split('\n')) {
      const id = mutants[Number(COMPLAINT.exec(line)?.[1])]?.id;
      if (id !== undefined) refused.add(id);
      else if (line.includes(': error ')) throw new Error(`mutants could not be checked: ${line}`);
    }
    return refused;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Returns the file with its imports changed to the original modules. */
function moved({ file, text: source }: Mutant, folder: string): string {
  const from = dirname(join(ROOT, file));
  return source.replaceAll(IMPORTED, (_, before: string, path: string) => {
    const to = relative(folder, join(from, path)).replaceAll('\\', '/');
    return `${before}'${to}'`;
  });
}
