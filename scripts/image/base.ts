/**
 * A base image from Debian packages, for machines that cannot reach a container registry: the content of `debian:12-slim`, made by
 * debootstrap.
 *
 * Needs root and debootstrap. Owns: what is in it. Built once per engine, and found by its tag afterwards.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { engine } from './engine.ts';

const TAG = 'stalemate-base:debian-12';
/** Documentation and caches, which the slim images leave out as well. */
const UNREAD = [
  ...['man', 'info', 'locale', 'lintian', 'linda'].map((name) => `usr/share/${name}`),
  ...['var/cache/apt', 'var/lib/apt/lists', 'var/cache/debconf', 'var/log'],
];

/** Returns why it cannot be built on this machine, or undefined. */
export function baseTrouble(): string | undefined {
  if (engine(['image', 'inspect', TAG]).status === 0) return undefined;
  if (process.getuid?.() !== 0) return 'only root can make a base from packages';
  return spawnSync('debootstrap', ['--version']).error === undefined ? undefined : 'there is no "debootstrap"';
}

/** Builds it unless it exists; returns its tag. */
export function baseFromPackages(): string {
  if (engine(['image', 'inspect', TAG]).status === 0) return TAG;
  const scratch = mkdtempSync(join(tmpdir(), 'stalemate-base-'));
  try {
    const root = join(scratch, 'root');
    shell('debootstrap', ['--variant=minbase', 'bookworm', root]);
    // Of the documentation, only the licences are kept.
    shell('find', [join(root, 'usr/share/doc'), '-type', 'f', '!', '-name', 'copyright', '-delete']);
    const left = UNREAD.map((path) => `--exclude=./${path}/*`);
    shell('tar', ['-cf', join(scratch, 'base.tar'), ...left, '-C', root, '.']);
    const { status, stderr } = engine(['import', join(scratch, 'base.tar'), TAG]);
    if (status !== 0) throw new Error(`the base image could not be imported: ${stderr.trim()}`);
    return TAG;
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

function shell(program: string, args: readonly string[]): void {
  const { status, error, stderr } = spawnSync(program, args, { encoding: 'utf8', stdio: ['ignore', 'ignore', 'pipe'] });
  if (status === 0) return;
  throw new Error(`"${program}" failed: ${error?.message ?? stderr.trim()}`);
}
