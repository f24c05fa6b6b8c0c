/**
 * A base image from Debian's packages, for machines that reach no container registry: what `debian:12-slim` is, made by debootstrap.
 *
 * Needs root and debootstrap. Owns: what is in it. Made once per engine, and found again by its tag.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { engine } from './engine.ts';

const TAG = 'stalemate-base:debian-12';
/** As the slim images do: a container is no place to read manuals in. */
const UNREAD = [
  ...['man', 'info', 'locale', 'lintian', 'linda'].map((name) => `usr/share/${name}`),
  ...['var/cache/apt', 'var/lib/apt/lists', 'var/cache/debconf', 'var/log'],
];

/** Why it cannot be made here, or undefined. */
export function baseTrouble(): string | undefined {
  if (engine(['image', 'inspect', TAG]).status === 0) return undefined;
  if (process.getuid?.() !== 0) return 'only root can make a base from packages';
  return spawnSync('debootstrap', ['--version']).error === undefined ? undefined : 'there is no "debootstrap"';
}

/** Makes it unless it is there; returns its tag. */
export function baseFromPackages(): string {
  if (engine(['image', 'inspect', TAG]).status === 0) return TAG;
  const scratch = mkdtempSync(join(tmpdir(), 'stalemate-base-'));
  try {
    const root = join(scratch, 'root');
    shell('debootstrap', ['--variant=minbase', 'bookworm', root]);
    // What stays of the documentation are the licences.
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
