/**
 * Compiles the launcher: `node scripts/launcher.ts build`, or `check`, which compares the result with the committed files.
 *
 * The bytes depend on the compiler: with a compiler other than COMPILER, `check` reports that it cannot compare (exit code 0); with
 * COMPILER it fails if the bytes differ (exit code 1). Needs gcc and the kernel headers.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const FOLDER = fileURLToPath(new URL('../harness/actors/process/launcher', import.meta.url));
/** The version in Debian 12. */
const COMPILER = '12.2.0';
const COMPILERS = { x64: 'x86_64-linux-gnu-gcc', arm64: 'aarch64-linux-gnu-gcc' } as const;
type Architecture = keyof typeof COMPILERS;
const FLAGS =
  '-std=gnu17 -Os -static -nostdlib -ffreestanding -fno-builtin -fno-stack-protector -fno-asynchronous-unwind-tables -fno-pie -no-pie ' +
  '-fcf-protection=none -Wall -Wextra -Werror -Wl,--build-id=none -Wl,-z,noseparate-code -Wl,-z,noexecstack -s -fno-ident';

/** Returns the bytes for one architecture, or why they cannot be built on this machine. */
export function compileLauncher(architecture: Architecture): Buffer | string {
  const compiler = COMPILERS[architecture];
  const version = spawnSync(compiler, ['-dumpfullversion'], { encoding: 'utf8' });
  if (version.status !== 0) return `there is no ${compiler}`;
  if (version.stdout.trim() !== COMPILER) return `${compiler} is ${version.stdout.trim()}, expected ${COMPILER}`;
  const folder = mkdtempSync(join(tmpdir(), 'stalemate-launcher-'));
  try {
    const made = join(folder, 'launch');
    const flags = FLAGS.split(' ').filter((flag) => architecture === 'x64' || !flag.startsWith('-fcf'));
    const { status, stderr } = spawnSync(compiler, [...flags, '-o', made, 'launch.c'], {
      cwd: FOLDER,
      encoding: 'utf8',
    });
    if (status !== 0) throw new Error(stderr);
    return readFileSync(made);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function main(word: string | undefined): number {
  if (word !== 'build' && word !== 'check') {
    console.error(`launcher: got "${word ?? ''}", expected build or check`);
    return 2;
  }
  let differs = false;
  const digests: string[] = [];
  for (const architecture of Object.keys(COMPILERS) as Architecture[]) {
    const file = join(FOLDER, `launch-${architecture}`);
    const made = compileLauncher(architecture);
    if (typeof made === 'string') {
      console.log(`launch-${architecture}: not compared, ${made}`);
      if (word === 'build' && existsSync(file)) digests.push(line(architecture, readFileSync(file)));
      continue;
    }
    const same = existsSync(file) && readFileSync(file).equals(made);
    console.log(
      `launch-${architecture}: ${made.length} bytes, ${same ? 'same as the committed file' : 'differs from the committed file'}`,
    );
    differs ||= !same;
    if (word === 'check') continue;
    writeFileSync(file, made);
    chmodSync(file, 0o755);
    digests.push(line(architecture, made));
  }
  if (word === 'check') return differs ? 1 : 0;
  const text = `/** SHA-256 of the launchers beside this file. Written by \`node scripts/launcher.ts build\`. */
export const DIGESTS: { readonly [name: string]: string } = {
${digests.join('\n')}
};
`;
  writeFileSync(join(FOLDER, 'digests.ts'), text);
  return 0;
}

function line(architecture: Architecture, bytes: Buffer): string {
  return `  'launch-${architecture}': '${createHash('sha256').update(bytes).digest('hex')}',`;
}

if (import.meta.main) process.exitCode = main(process.argv[2]);
