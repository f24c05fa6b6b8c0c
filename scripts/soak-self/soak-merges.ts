/** Merges what shards of a soak have written in any order, several times over, and compares every byte of what comes of it. */
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
  /** What the shards have written. */
  readonly files: readonly string[];
  readonly times: number;
  readonly random: Random;
  /** Signatures that have to be in it. */
  readonly expected: ReadonlySet<string>;
}

/** Answers with what should not have happened. */
export function checkMerges({ folder, files, times, random, expected }: MergeOptions): readonly string[] {
  const complaints: string[] = [];
  const digests = new Map<string, number>();
  for (let merge = 1; merge <= times; merge++) {
    // Paths of commands are in reports: each is written to a folder of the same name.
    const cwd = join(folder, `merge-${merge}`);
    mkdirSync(cwd);
    const args = ['merge', ...inAnyOrder(files, cwd, random, merge % 2 === 1), '--output', OUTPUT];
    const { status, stderr } = spawnSync(process.execPath, [BIN, ...args], { cwd, encoding: 'utf8' });
    // Some has failed, and the budget of these shards is not used up: both are as they should be.
    if (status !== 1) complaints.push(`merge ${merge} ended with ${status}, expected 1: ${stderr.slice(-300)}`);
    else digests.set(digestOf(join(cwd, OUTPUT)), merge);
  }
  if (digests.size > 1) complaints.push(`merges ${[...digests.values()].join(', ')} are different from each other`);
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

/** The files, some of them twice; or one file of all their lines in any order, some of them twice. */
function inAnyOrder(files: readonly string[], folder: string, random: Random, asFiles: boolean): readonly string[] {
  const anyOrder = <T>(all: readonly T[]): readonly T[] =>
    random.shuffle([...all, ...all.filter(() => random.int(2) === 0)]);
  if (asFiles) return anyOrder(files);
  const lines = files.flatMap((file) => readSoakFile(file, file).entries.map(({ text }) => text));
  const file = join(folder, 'lines.jsonl');
  writeFileSync(file, `${anyOrder(lines).join('\n')}\n`);
  return [file];
}

/** Of all names and contents below a folder. */
function digestOf(folder: string): string {
  const hash = createHash('sha256');
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort()) {
    const path = join(folder, name);
    if (statSync(path).isFile()) hash.update(`${name}\0`).update(readFileSync(path)).update('\0');
  }
  return hash.digest('hex');
}
