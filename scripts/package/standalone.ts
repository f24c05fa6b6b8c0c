/**
 * A standalone folder: stalemate with everything that it needs, including Node. It is the content of the image and of the archive.
 *
 * Owns: the layout of that folder. Why not a single executable: stalemate reads a hundred files of tables, workers and page scripts by
 * path; see `docs/decisions/0032-one-folder-with-node.md`. Start at {@link buildStandalone}.
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

/** A folder from an earlier build is recognized by this line of its launcher, in any of its wordings. */
const MARK = /^# Starts stalemate with the Node .+; links to this file are followed\.$/m;
const LAUNCHER = `#!/bin/sh
# Starts stalemate with the Node in the same folder; links to this file are followed.
file=$(readlink -f "$0")
root=\${file%/bin/stalemate}
exec "$root/node/bin/node" "$root/app/stalemate" "$@"
`;

/** Types, source maps and sources of libraries, which are not needed at run time. Licences stay. */
const TYPES = 'node_modules/@types';
const UNREAD = ['**/*.d.ts', '**/*.d.mts', '**/*.d.cts', '**/*.map', TYPES, 'node_modules/zod/src'];

const TEXTS = ['README.md', 'LICENSE', 'NOTICE', 'CHANGELOG.md'];
/** Pages that the README links to, for users who have only the archive, and the wrappers for Go and pytest. */
const PAGES_AND_WRAPPERS = ['ci/**', ...PAGES];
/** All names at the top level of the folder. */
const OURS: ReadonlySet<string> = new Set([
  ...['bin', 'app', 'node', BILL, ...TEXTS],
  ...PAGES_AND_WRAPPERS.map((path) => path.replace(/\/.*/, '')),
]);

/**
 * Returns why a folder may not be overwritten, which would remove it first; undefined if it is absent, empty, or from an earlier build. The
 * launcher is written first, so that an incomplete build is recognized as well.
 */
export function folderTrouble(folder: string): string | undefined {
  if (existsSync(folder) && namesIn(folder) === undefined) return `"${folder}" is no folder, expected one to write`;
  const foreign = foreignName(folder);
  if (foreign === undefined) return undefined;
  return `"${folder}" holds "${foreign}", expected no folder, an empty one, or one that was made by this command; name another one`;
}

/** Returns a top-level name that no build has written; any name, if the launcher is not ours. */
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
 * Writes the folder, replacing an earlier build. The clone's lockfile pins its dependencies.
 * @throws if {@link folderTrouble} returns a reason.
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

/** Returns the files that the README links to. */
export function pagesAndWrappers(): readonly string[] {
  return globSync(PAGES_AND_WRAPPERS, { cwd: REPOSITORY_ROOT, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.parentPath.includes('__pycache__'))
    .map((entry) => relative(REPOSITORY_ROOT, join(entry.parentPath, entry.name)))
    .toSorted();
}

function installApp(app: string): void {
  // npm needs the package.json of the workspace package, whose code is in `dist`.
  const workspace = join(API_SERVER_FOLDER, 'package.json');
  for (const name of ['package.json', 'package-lock.json', '.npmrc', workspace])
    cpSync(join(REPOSITORY_ROOT, name), join(app, name));
  run('npm', ['ci', '--omit=dev', '--omit=peer', '--ignore-scripts', '--prefer-offline', '--loglevel=error'], app);
  for (const name of ['package-lock.json', '.npmrc', join('node_modules', API_SERVER_PACKAGE), API_SERVER_FOLDER])
    rmSync(join(app, name), { recursive: true });
  for (const path of globSync(UNREAD, { cwd: app })) rmSync(join(app, path), { recursive: true, force: true });
  // Printed commands recognize the launcher by its name and path (harness/cli/called.ts).
  symlinkSync('dist/harness/cli/bin.mjs', join(app, 'stalemate'));
  const filter = (path: string): boolean => !path.endsWith('.d.ts') && path !== join(DIST, BILL);
  cpSync(DIST, join(app, 'dist'), { recursive: true, filter });
}
