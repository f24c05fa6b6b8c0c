/**
 * stalemate with everything that it needs, Node included, in one folder: what the image holds and what the single download is.
 *
 * Owns: what stands where in that folder. Why not a single executable file: it is a hundred files of tables, workers and page scripts
 * that are read by path; `docs/decisions/0032-one-folder-with-node.md`. Start at {@link buildStandalone}.
 */
import {
  chmodSync,
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join, relative } from 'node:path';
import { API_SERVER_FOLDER, API_SERVER_PACKAGE } from '../api-server-package.ts';
import { REPOSITORY_ROOT } from '../repository-files.ts';
import { BILL, build, DIST } from './build.ts';
import { PAGES } from './manifest.ts';
import { nodeDigest, pinnedNode, placeNode, type Platform, run } from './node-binary.ts';
import { writeBill } from './sbom.ts';

/** A folder of ours is known by this line of its launcher, also one that an earlier version worded otherwise. */
const MARK = /^# Starts stalemate with the Node .+; links to this file are followed\.$/m;
const LAUNCHER = `#!/bin/sh
# Starts stalemate with the Node in the same folder; links to this file are followed.
file=$(readlink -f "$0")
root=\${file%/bin/stalemate}
exec "$root/node/bin/node" "$root/app/stalemate" "$@"
`;

/** Types, maps and sources of libraries: nobody compiles against this folder. Licences stay. */
const TYPES = 'node_modules/@types';
const UNREAD = ['**/*.d.ts', '**/*.d.mts', '**/*.d.cts', '**/*.map', TYPES, 'node_modules/zod/src'];

const TEXTS = ['README.md', 'LICENSE', 'NOTICE', 'CHANGELOG.md'];
/** What the README points to: whoever has the archive only needs the pages as well, and the wrappers for Go and pytest. */
const PAGES_AND_WRAPPERS = ['ci/**', ...PAGES];
/** Everything at the top of the folder. */
const OURS: ReadonlySet<string> = new Set([
  ...['bin', 'app', 'node', BILL, ...TEXTS],
  ...PAGES_AND_WRAPPERS.map((path) => path.replace(/\/.*/, '')),
]);

/**
 * Why a folder may not be written anew, which begins by removing it; undefined where it may: it is absent, empty, or made here before.
 * The launcher is written first, so that what a build left unfinished is known as well.
 */
export function folderTrouble(folder: string): string | undefined {
  if (existsSync(folder) && namesIn(folder) === undefined) return `"${folder}" is no folder, expected one to write`;
  const foreign = foreignName(folder);
  if (foreign === undefined) return undefined;
  return `"${folder}" holds "${foreign}", expected no folder, an empty one, or one that was made by this command; name another one`;
}

/** What is at the top of the folder and was not put there by a build; all of it, where the launcher is somebody else's. */
export function foreignName(folder: string): string | undefined {
  const names = namesIn(folder) ?? [];
  const launcher = join(folder, 'bin', 'stalemate');
  return names.find((name) => !OURS.has(name)) ?? names.find(() => !isLauncher(launcher));
}

function namesIn(folder: string): readonly string[] | undefined {
  try {
    return readdirSync(folder).toSorted();
  } catch {
    return undefined;
  }
}

function isLauncher(file: string): boolean {
  return existsSync(file) && MARK.test(readFileSync(file, 'utf8'));
}

/**
 * Writes the folder anew. What it depends on is pinned by the clone's lockfile.
 * @throws where {@link folderTrouble} says that the folder is somebody's.
 */
export function buildStandalone(platform: Platform, folder: string): void {
  const trouble = folderTrouble(folder);
  if (trouble !== undefined) throw new Error(trouble);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(join(folder, 'bin'), { recursive: true });
  writeFileSync(join(folder, 'bin', 'stalemate'), LAUNCHER);
  chmodSync(join(folder, 'bin', 'stalemate'), 0o755);
  const app = join(folder, 'app');
  mkdirSync(app);
  for (const name of [...TEXTS, ...pagesAndWrappers()])
    cpSync(join(REPOSITORY_ROOT, name), join(folder, name), { recursive: true });
  build();
  installApp(app);
  const version = pinnedNode();
  placeNode(version, platform, join(folder, 'node'));
  writeBill(folder, BILL, 'app/dist', {
    node: { id: version, sha256: nodeDigest(version, platform) },
    isInside: (path) => !path.startsWith(TYPES),
  });
}

/** Of what the README points to. */
export function pagesAndWrappers(): readonly string[] {
  return globSync(PAGES_AND_WRAPPERS, { cwd: REPOSITORY_ROOT, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.parentPath.includes('__pycache__'))
    .map((entry) => relative(REPOSITORY_ROOT, join(entry.parentPath, entry.name)))
    .toSorted();
}

function installApp(app: string): void {
  // npm wants to see every package of the workspace; `dist` holds what is in it.
  const workspace = join(API_SERVER_FOLDER, 'package.json');
  for (const name of ['package.json', 'package-lock.json', '.npmrc', workspace])
    cpSync(join(REPOSITORY_ROOT, name), join(app, name));
  run('npm', ['ci', '--omit=dev', '--omit=peer', '--ignore-scripts', '--prefer-offline', '--loglevel=error'], app);
  for (const name of ['package-lock.json', '.npmrc', join('node_modules', API_SERVER_PACKAGE), API_SERVER_FOLDER])
    rmSync(join(app, name), { recursive: true });
  for (const path of globSync(UNREAD, { cwd: app })) rmSync(join(app, path), { recursive: true, force: true });
  // By its name and place printed commands know the launcher (harness/cli/called.ts).
  symlinkSync('dist/harness/cli/bin.mjs', join(app, 'stalemate'));
  const filter = (path: string): boolean => !path.endsWith('.d.ts') && path !== join(DIST, BILL);
  cpSync(DIST, join(app, 'dist'), { recursive: true, filter });
}
