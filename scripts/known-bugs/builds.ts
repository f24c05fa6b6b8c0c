/**
 * Builds of the releases of a pair, kept in the user's cache folder.
 *
 * A release of an operator is copied out of Go's module cache and built in the copy, so that its own `replace` directives and `go.sum`
 * apply. A controller of ours is built from the pair's folder, with the package files of `releases/VERSION` added to its sources. Start at
 * {@link buildRelease}.
 */
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { cacheFolder } from '../cache-folder.ts';
import { copyModule, moduleFolder } from '../go-module.ts';
import { hashInto, nice } from '../languages/controllers.ts';
import type { ModuleBuild, OurBuild, Pair } from './pairs.ts';

export interface BuiltRelease {
  /** Replaces `{built}` in the command. */
  readonly folder: string;
  readonly crds: readonly string[];
}

/** Files of a pair's folder that no compiler reads. */
const NOT_COMPILED = /\.(?:yaml|md)$|^pair\.json$|^releases$/;

/**
 * Builds one release unless that was done before.
 *
 * @throws {StepFailed} with the end of the compiler's output.
 */
export async function buildRelease(pair: Pair, version: string): Promise<BuiltRelease> {
  const isOurs = pair.build.kind !== 'go-module';
  const folder = join(
    cacheFolder('known-bugs'),
    `${pair.name}-${version}${isOurs ? `-${sourcesHash(pair, version)}` : ''}`,
  );
  if (!existsSync(folder)) await buildInto(folder, pair, version);
  const crds = pair.crds.map((path) => join(isOurs ? pair.folder : join(folder, 'crds'), path));
  return { folder, crds };
}

function sourcesHash(pair: Pair, version: string): string {
  const hash = createHash('sha256');
  for (const path of [...compiled(pair), join('releases', version)]) {
    hash.update(path);
    hashInto(hash, join(pair.folder, path));
  }
  return hash.digest('hex').slice(0, 12);
}

function compiled({ folder }: Pair): readonly string[] {
  return readdirSync(folder)
    .filter((name) => !NOT_COMPILED.test(name))
    .toSorted();
}

async function buildInto(folder: string, pair: Pair, version: string): Promise<void> {
  const cache = cacheFolder('known-bugs');
  mkdirSync(cache, { recursive: true });
  const work = mkdtempSync(join(cache, '.build-'));
  try {
    const step = {
      pair,
      version,
      sources: join(work, 'sources'),
      out: join(work, 'out'),
      log: join(work, 'log'),
      folder,
    };
    if (pair.build.kind === 'go-module') await buildModule(step, pair.build);
    else await buildOurs(step, pair.build.kind);
    if (!existsSync(folder)) renameSync(step.out, folder);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

interface Step {
  readonly pair: Pair;
  readonly version: string;
  readonly sources: string;
  readonly out: string;
  readonly log: string;
  /** The final folder of the output: a virtual environment has to be created there. */
  readonly folder: string;
}

async function buildModule(step: Step, build: ModuleBuild): Promise<void> {
  const { pair, version, sources, out, log } = step;
  copyModule(moduleFolder(build.module, version), sources);
  const args = ['build', '-p', '2', '-ldflags=-s -w', '-o', join(out, 'operator'), build.package];
  await nice(`go build of ${pair.name} ${version}`, 'go', args, log, { cwd: sources });
  for (const path of pair.crds) cpSync(join(sources, path), join(out, 'crds', path), { recursive: true });
}

async function buildOurs(step: Step, kind: OurBuild['kind']): Promise<void> {
  const { pair, version, sources, out, log } = step;
  for (const name of compiled(pair)) cpSync(join(pair.folder, name), join(sources, name), { recursive: true });
  cpSync(join(pair.folder, 'releases', version), sources, { recursive: true });
  const what = `of ${pair.name} with ${version}`;
  switch (kind) {
    case 'go':
      return nice(`go build ${what}`, 'go', ['build', '-p', '2', '-o', join(out, 'controller'), '.'], log, {
        cwd: sources,
      });
    case 'python': {
      // A virtual environment cannot be moved.
      await nice(`python3 -m venv ${what}`, 'python3', ['-m', 'venv', step.folder], log);
      const args = ['install', '--quiet', '-r', join(sources, 'requirements.txt')];
      try {
        return await nice(`pip install ${what}`, join(step.folder, 'bin', 'pip'), args, log);
      } catch (error) {
        rmSync(step.folder, { recursive: true });
        throw error;
      }
    }
    case 'cargo': {
      const env = { CARGO_TARGET_DIR: join(sources, 'target') };
      await nice(`cargo build ${what}`, 'cargo', ['build', '--locked', '--quiet'], log, { cwd: sources, env });
      cpSync(join(sources, 'target', 'debug', 'controller'), join(out, 'controller'));
      return;
    }
    case 'maven': {
      const goals = ['compile', 'dependency:copy-dependencies', '-DincludeScope=runtime'];
      await nice(`mvn ${what}`, 'mvn', ['--quiet', '--batch-mode', ...goals], log, { cwd: sources });
      cpSync(join(sources, 'target', 'classes'), join(out, 'classes'), { recursive: true });
      cpSync(join(sources, 'target', 'dependency'), join(out, 'lib'), { recursive: true });
      return;
    }
    case 'npm':
      await nice(`npm ci ${what}`, 'npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], log, { cwd: sources });
      cpSync(sources, out, { recursive: true });
  }
}
