/** Merges the files of soak shards several times, in random order and with duplicates, and compares all output files byte by byte. */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readSoakFile } from '../../harness/cli/soak/log.ts';
import type { Random } from '../../harness/determinism/random.ts';
import { signatureText } from '../../harness/model/signature.ts';

const BIN = fileURLToPath(new URL('../../harness/cli/bin.mjs', import.meta.url));
const OUTPUT = 'merged';

export interface MergeOptions {
  readonly folder: string;
  /** The files of the shards. */
  readonly files: readonly string[];
  readonly times: number;
  readonly random: Random;
  /** Signatures that the merge must contain. */
  readonly expected: ReadonlySet<string>;
}

/** Returns the problems. */
export function checkMerges({ folder, files, times, random, expected }: MergeOptions): readonly string[] {
  const complaints: string[] = [];
  const digests = new Map<string, number>();
  for (let merge = 1; merge <= times; merge++) {
    // Reports contain command lines with paths, so each merge writes to a folder with the same name.
    const cwd = join(folder, `merge-${merge}`);
    mkdirSync(cwd);
    const args = ['merge', ...inAnyOrder(files, cwd, random, merge % 2 === 1), '--output', OUTPUT];
    const { status, stderr } = spawnSync(process.execPath, [BIN, ...args], { cwd, encoding: 'utf8' });
    // Exit code 1 is expected: there are findings.
    if (status !== 1) complaints.push(`merge ${merge} ended with ${status}, expected 1: ${stderr.slice(-300)}`);
    else digests.set(digestOf(join(cwd, OUTPUT)), merge);
  }
  if (digests.size > 1) complaints.push(`merges ${[...digests.values()].join(', ')} differ`);
  const [last] = digests.values();
  if (last === undefined) return complaints;
  const merged = join(folder, `merge-${last}`, OUTPUT, 'soak.jsonl');
  const { entries } = readSoakFile(merged, merged);
  const there = new Set(
    entries.flatMap(({ line }) => (line.line === 'finding' ? [signatureText(line.record.violation.signature)] : [])),
  );
  for (const one of expected) if (!there.has(one)) complaints.push(`the merge lacks ${one}`);
  return complaints;
}

/** Returns the files, some of them twice; or one file with all their lines in random order, some of them twice. */
function inAnyOrder(files: readonly string[], folder: string, random: Random, asFiles: boolean): readonly string[] {
  const anyOrder = <T>(all: readonly T[]): readonly T[] =>
    random.shuffle([...all, ...all.filter(() => random.int(2) === 0)]);
  if (asFiles) return anyOrder(files);
  const lines = files.flatMap((file) => readSoakFile(file, file).entries.map(({ text }) => text));
  const file = join(folder, 'lines.jsonl');
  writeFileSync(file, `${anyOrder(lines).join('\n')}\n`);
  return [file];
}

/** Hashes all names and contents below a folder. */
function digestOf(folder: string): string {
  const hash = createHash('sha256');
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort()) {
    const path = join(folder, name);
    if (statSync(path).isFile()) hash.update(`${name}\0`).update(readFileSync(path)).update('\0');
  }
  return hash.digest('hex');
}
