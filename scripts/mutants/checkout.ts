/** Another version of the harness that searches the same mutants: a folder, or a commit of this repository. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { HarnessError } from '../../harness/index.ts';
import { cacheFolder } from '../cache-folder.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** Returns the folder of a checkout: the given folder, or a folder in the user's cache into which the given commit is extracted. */
export function checkout(refOrFolder: string): string {
  if (existsSync(join(refOrFolder, 'harness', 'index.ts'))) return resolve(refOrFolder);
  const commit = commitOf(refOrFolder);
  const folder = cacheFolder('mutants', 'checkouts', commit);
  if (existsSync(folder)) return folder;
  const scratch = `${folder}.${process.pid}`;
  mkdirSync(scratch, { recursive: true });
  try {
    const archive = execFileSync(
      'git',
      ['archive', commit, 'apiserver', 'harness', 'properties', 'controllers-under-test', 'package.json'],
      {
        cwd: ROOT,
        maxBuffer: 1024 ** 3,
      },
    );
    execFileSync('tar', ['x'], { cwd: scratch, input: archive });
    linkPackages(scratch);
    renameSync(scratch, folder);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
  return folder;
}

function commitOf(ref: string): string {
  try {
    const args = ['rev-parse', '--verify', '--quiet', '--end-of-options', `${ref}^{commit}`];
    return execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' }).trim();
  } catch {
    throw new HarnessError(
      'USAGE',
      `got --against "${ref}", expected a folder with a checkout, or the name of a commit`,
    );
  }
}

/** Links the packages of this checkout, except for the API server, which comes from the other checkout. */
function linkPackages(folder: string): void {
  const [from, to] = [join(ROOT, 'node_modules'), join(folder, 'node_modules')];
  mkdirSync(to);
  for (const name of readdirSync(from)) {
    if (name !== 'stalemate-apiserver' && statSync(join(from, name)).isDirectory())
      symlinkSync(join(from, name), join(to, name));
  }
  symlinkSync('../apiserver', join(to, 'stalemate-apiserver'));
}
