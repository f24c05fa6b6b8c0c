/** The files of this repository that the checks read: tracked or new, but not ignored, with their text. */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export interface SourceFile {
  /** Relative to the root of the repository, with forward slashes. */
  readonly path: string;
  readonly text: string;
}

/** The root of the repository, with a trailing slash. */
export const REPOSITORY_ROOT: string = fileURLToPath(new URL('..', import.meta.url));

const BINARY = /\.(png|ico|gz|tgz|tar|zip|woff2?)$/;

/** A problem that a check found, and its location. */
export interface Complaint {
  readonly where: string;
  readonly problem: string;
}

/** Returns every text file that git tracks or would add. */
export function repositoryFiles(): readonly SourceFile[] {
  return repositoryPaths()
    .filter((path) => !BINARY.test(path))
    .map((path) => ({ path, text: readFileSync(join(REPOSITORY_ROOT, path), 'utf8') }));
}

/** Returns the path of every file that git tracks or would add. */
export function repositoryPaths(): readonly string[] {
  const listed = spawnSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '-z'], {
    cwd: REPOSITORY_ROOT,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  if (listed.status !== 0) throw new Error(`"git ls-files" failed, the checks need a git checkout: ${listed.stderr}`);
  return listed.stdout.split('\0').filter((path) => path !== '' && existsSync(join(REPOSITORY_ROOT, path)));
}

/** Prints the complaints, and sets exit code 1 if there are any. */
export function report(title: string, checked: number, complaints: readonly Complaint[], hint: string): void {
  if (complaints.length === 0) {
    console.log(`${title}: ${checked} files, no problems`);
    return;
  }
  for (const { where, problem } of complaints) console.error(`${where}  ${problem}`);
  console.error(`\n${title}: ${complaints.length} ${complaints.length === 1 ? 'problem' : 'problems'}\n${hint}`);
  process.exitCode = 1;
}
