/**
 * The source trees of public projects, like a clone of them: fetched from their registry with its ordinary client, or cloned, into the
 * user's cache folder. Each becomes a git repository, so that every attempt starts with the published files.
 *
 * Start at {@link sourcesOf}.
 */
import { execFileSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { HarnessError } from '../../harness/model/errors.ts';
import { cacheFolder } from '../cache-folder.ts';
import { copyModule, moduleFolder } from '../go-module.ts';
import type { Repository } from './repositories.ts';

const FETCH_TIMEOUT_MS = 300_000;
const OUTPUT_BYTES_MAX = 1 << 26;
const AUTHOR = ['-c', 'user.name=a', '-c', 'user.email=a@example.com'];

/**
 * Returns the folder of a project as published; removes files of earlier attempts.
 *
 * @throws {HarnessError} with the last lines of the registry's client, if it cannot fetch the sources.
 */
export function sourcesOf(repository: Repository): string {
  const cache = cacheFolder('first-contact');
  const folder = join(cache, `${repository.name}-${repository.version}`);
  if (existsSync(folder)) {
    run('git', ['reset', '--quiet', '--hard'], folder);
    run('git', ['clean', '-ffdxq'], folder);
    return folder;
  }
  mkdirSync(cache, { recursive: true });
  const work = mkdtempSync(join(cache, '.fetch-'));
  try {
    const tree = join(work, 'tree');
    if (repository.clone === undefined) FETCHERS[repository.source](repository, work, tree);
    else cloned(repository.clone, tree, work);
    run('git', ['init', '--quiet'], tree);
    // Includes published files that the project's .gitignore excludes.
    run('git', ['add', '--all', '--force'], tree);
    run('git', [...AUTHOR, 'commit', '--quiet', '-m', repository.version], tree);
    renameSync(tree, folder);
    return folder;
  } catch (error) {
    const {
      stderr = '',
      stdout = '',
      message,
    } = error as Error & { readonly stderr?: string; readonly stdout?: string };
    const last = /"Error": "(.*)"/.exec(stdout)?.[1] ?? stderr.trim().split('\n').slice(-3).join('\n');
    throw new HarnessError(
      'CLUSTER_UNAVAILABLE',
      `could not fetch ${repository.clone?.url ?? repository.package} ${repository.version}: ${last === '' ? message : last}`,
    );
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

type Fetcher = (repository: Repository, work: string, tree: string) => void;

const FETCHERS: { readonly [source in Repository['source']]: Fetcher } = {
  go: ({ package: module, version }, work, tree) => {
    copyModule(folderOf(module, version, work), tree);
    addNestedModules(module, version, work, tree);
  },
  // If there is no source archive, the wheel has the modules, but not how they are built.
  pypi: ({ package: name, version }, work, tree) => {
    const download = (form: readonly string[]): void => {
      run('pip', ['download', '--quiet', '--no-deps', ...form, '--dest', work, `${name}==${version}`], work);
    };
    try {
      download(['--no-binary', ':all:']);
    } catch {
      download([]);
    }
    const archive = readdirSync(work).find((file) => /\.(tar\.gz|zip|whl)$/.test(file)) ?? '';
    unpack(join(work, archive), tree, work);
  },
  crates: ({ package: name, version }, work, tree) => {
    const dummy = join(work, 'dummy');
    mkdirSync(join(dummy, 'src'), { recursive: true });
    writeFileSync(join(dummy, 'src', 'lib.rs'), '');
    writeFileSync(
      join(dummy, 'Cargo.toml'),
      `[package]\nname = "dummy"\nversion = "0.0.0"\nedition = "2021"\n[dependencies]\n${name} = "=${version}"\n`,
    );
    const told = JSON.parse(run('cargo', ['metadata', '--format-version', '1'], dummy)) as {
      readonly packages: readonly { readonly name: string; readonly manifest_path: string }[];
    };
    const found = told.packages.find((one) => one.name === name);
    cpSync(dirname(found?.manifest_path ?? ''), tree, { recursive: true });
  },
  // The sources of an artifact and its POM, which is what Maven needs to build it.
  maven: ({ package: name, version }, work, tree) => {
    const [, artifact = ''] = name.split(':');
    const copy = (what: string): void => {
      run(
        'mvn',
        ['-B', '-q', 'dependency:copy', `-Dartifact=${name}:${version}:${what}`, `-DoutputDirectory=${work}`],
        work,
      );
    };
    copy('pom');
    copy('jar:sources');
    const sources = join(tree, 'src', 'main', 'java');
    mkdirSync(sources, { recursive: true });
    run('unzip', ['-q', join(work, `${artifact}-${version}-sources.jar`), '-d', sources], work);
    cpSync(join(work, `${artifact}-${version}.pom`), join(tree, 'pom.xml'));
    for (const file of readdirSync(sources, { recursive: true, withFileTypes: true })) {
      if (!file.isFile() || file.name.endsWith('.java')) continue;
      const from = join(file.parentPath, file.name);
      const to = join(tree, 'src', 'main', 'resources', from.slice(sources.length + 1));
      mkdirSync(dirname(to), { recursive: true });
      renameSync(from, to);
    }
  },
};

/** Clones without the history. */
function cloned({ url, at }: NonNullable<Repository['clone']>, tree: string, work: string): void {
  run('git', ['init', '--quiet', tree], work);
  run('git', ['fetch', '--quiet', '--depth', '1', url, at], tree);
  run('git', ['checkout', '--quiet', 'FETCH_HEAD'], tree);
  rmSync(join(tree, '.git'), { recursive: true });
}

function folderOf(module: string, version: string, cwd: string): string {
  // Skips the checksum database, which lacks some old versions: all of this is public code that runs in a sandbox anyway.
  return moduleFolder(module, version, { cwd, env: { GONOSUMDB: '*' }, timeout: FETCH_TIMEOUT_MS });
}

/** A module's archive does not contain nested modules. Adds those that go.mod replaces with a folder of the tree, at the same version. */
function addNestedModules(module: string, version: string, work: string, tree: string): void {
  const text = readFileSync(join(tree, 'go.mod'), 'utf8');
  for (const [, name = '', path = ''] of text.matchAll(/^\s*(?:replace\s+)?(\S+)(?:\s+v\S+)?\s+=>\s+\.\/(\S+)\s*$/gm)) {
    if (existsSync(join(tree, path, 'go.mod')) || !name.startsWith(module.replace(/\/v\d+$/, ''))) continue;
    copyModule(folderOf(name, version, work), join(tree, path));
  }
}

function unpack(archive: string, tree: string, work: string): void {
  const inside = join(work, 'unpacked');
  mkdirSync(inside);
  if (archive.endsWith('.tar.gz')) run('tar', ['-xzf', archive, '-C', inside], work);
  else run('unzip', ['-q', archive, '-d', inside], work);
  renameSync(archive.endsWith('.whl') ? inside : join(inside, readdirSync(inside)[0] ?? ''), tree);
}

function run(command: string, args: readonly string[], cwd: string, env: NodeJS.ProcessEnv = {}): string {
  return execFileSync(command, args, {
    cwd,
    env: { ...process.env, ...env },
    encoding: 'utf8',
    timeout: FETCH_TIMEOUT_MS,
    maxBuffer: OUTPUT_BYTES_MAX,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}
