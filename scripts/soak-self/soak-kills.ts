/**
 * Kills the shards of a soak with SIGKILL at random times, repeatedly, and checks that they resume without losing a finding.
 *
 * The first start of each shard is killed once it has printed a finding, and later starts within twice the time until that finding, so that
 * a slow machine can lose as much as a fast one. After each kill, every finding that was printed, or on disk before, is on disk, and the
 * file can be read. At the end each shard is started once more and must report everything that it ever recorded; and merges in any order
 * and with duplicates (`soak-merges.ts`) must give the same bytes, with every finding.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Random } from '../../harness/determinism/random.ts';
import { signatureText } from '../../harness/model/signature.ts';
import { readSoakFile } from '../../harness/cli/soak/log.ts';
import { summarySchema } from '../../harness/report/summary.ts';
import { checkMerges } from './soak-merges.ts';

const BIN = fileURLToPath(new URL('../../harness/cli/bin.mjs', import.meta.url));
const RELEASES = fileURLToPath(new URL('../../controllers-under-test/releases/', import.meta.url));
const INDEX = new URL('../../harness/index.ts', import.meta.url).href;
const SHARDS = 2;
/** Below each printed finding there is a replay command. */
const TOLD = /replay: .*\/failures\/(\S+)\.json/g;

/** Properties that are violated after one to six changes of a Deployment, so that there is always another finding. */
const CONFIG = `import { defineConfig } from ${JSON.stringify(INDEX)};
const fewerThan = (most: number) => ({
  name: 'fewer-than-' + most + '-changes',
  resource: 'deployments.apps',
  check: ({ metadata }: { metadata: { generation?: number } }) =>
    Number(metadata.generation) <= most || 'is of generation ' + metadata.generation,
});
export default defineConfig({
  target: ${JSON.stringify(join(RELEASES, 'correct', 'controller.ts'))},
  crds: [${JSON.stringify(join(RELEASES, 'crd.yaml'))}],
  samples: [${JSON.stringify(join(RELEASES, 'sample.yaml'))}],
  always: [1, 2, 3, 4, 5, 6].map(fewerThan),
});
`;

export interface SoakKills {
  readonly kills: number;
  /** The number of distinct findings that each shard recorded. */
  readonly findings: readonly number[];
  /** Lines that were truncated by a kill. */
  readonly cut: number;
  readonly merges: number;
  /** The problems that were found. */
  readonly complaints: readonly string[];
}

export interface SoakKillOptions {
  readonly times: number;
  readonly merges: number;
  readonly random: Random;
  readonly tell: (line: string) => void;
}

export async function killSoaks({ times, merges, random, tell }: SoakKillOptions): Promise<SoakKills> {
  const folder = mkdtempSync(join(tmpdir(), 'stalemate-soak-kills-'));
  const complaints: string[] = [];
  const recorded = Array.from({ length: SHARDS }, () => new Set<string>());
  const withinMs: number[] = [];
  let cut = 0;
  try {
    writeFileSync(join(folder, 'stalemate.config.ts'), CONFIG);
    for (let kill = 1; kill <= times; kill++) {
      const shard = (kill - 1) % SHARDS;
      const within = withinMs[shard];
      const told = await start(
        folder,
        shard,
        ['--budget', '10h'],
        within === undefined ? 'found' : random.float() * within,
      );
      withinMs[shard] ??= told.spokeMs * 2;
      if (told.code !== null)
        complaints.push(`kill ${kill}: it had ended with ${told.code}: ${told.text.slice(-2000)}`);
      const on = onDisk(folder, shard);
      cut += on.cut;
      for (const one of recorded[shard] ?? [])
        if (!on.signatures.has(one)) complaints.push(`kill ${kill}: lost ${one}`);
      const names = new Set([...told.text.matchAll(TOLD)].map(([, name = '']) => name));
      if (names.size > on.signatures.size)
        complaints.push(`kill ${kill}: ${names.size} findings were reported, ${on.signatures.size} are on disk`);
      recorded[shard] = on.signatures;
      tell(`${kill}: shard ${shard + 1} after ${told.spokeMs.toFixed(0)} ms, ${on.signatures.size} findings on disk`);
    }
    for (const [shard, known] of recorded.entries()) {
      const end = await start(folder, shard, ['--budget', '40', '--json']);
      if (end.code !== 0 && end.code !== 1)
        complaints.push(`the last start of shard ${shard + 1} ended with ${end.code}: ${end.text.slice(-300)}`);
      else
        for (const one of known)
          if (!signaturesIn(end.out).has(one)) complaints.push(`the last summary of shard ${shard + 1} lacks ${one}`);
      recorded[shard] = onDisk(folder, shard).signatures;
    }
    const files = recorded.map((_, shard) => logOf(folder, shard));
    const all = new Set(recorded.flatMap((known) => [...known]));
    complaints.push(...checkMerges({ folder, files, times: merges, random, expected: all }));
    return { kills: times, findings: recorded.map(({ size }) => size), cut, merges, complaints };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function logOf(folder: string, shard: number): string {
  return join(folder, '.stalemate', 'soak', 'kills', `${shard + 1}-of-${SHARDS}`, 'soak.jsonl');
}

function signaturesIn(summary: string): ReadonlySet<string> {
  return new Set(summarySchema.parse(JSON.parse(summary)).findings.map(({ signature }) => signature));
}

interface Started {
  /** `null` if it was killed. */
  readonly code: number | null;
  readonly out: string;
  readonly text: string;
  /** The time from its first output to its end; before that it only loads its modules. */
  readonly spokeMs: number;
}

/** @param kill - Kill it this many milliseconds after its first output, or once it has printed a finding. */
async function start(cwd: string, shard: number, budget: readonly string[], kill?: number | 'found'): Promise<Started> {
  const place = ['--seed-epoch', 'kills', '--shard', `${shard + 1}/${SHARDS}`];
  const child = spawn(process.execPath, [BIN, 'soak', ...place, ...budget], {
    cwd,
    // Confirming findings on a real server is not part of this test.
    env: { ...process.env, NO_COLOR: '1', STALEMATE_CONFIRM: 'none' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let out = '';
  let err = '';
  let spoke = 0;
  const end = (): void => void child.kill('SIGKILL');
  child.stdout.on('data', (piece: Buffer) => {
    if (out === '') {
      spoke = performance.now();
      if (typeof kill === 'number') setTimeout(end, kill);
    }
    out += piece.toString();
    if (kill === 'found' && out.search(TOLD) >= 0) end();
  });
  child.stderr.on('data', (piece: Buffer) => (err += piece.toString()));
  await once(child, 'close');
  return { code: child.exitCode, out, text: out + err, spokeMs: spoke === 0 ? 0 : performance.now() - spoke };
}

function onDisk(folder: string, shard: number): { readonly signatures: Set<string>; readonly cut: number } {
  const file = logOf(folder, shard);
  if (!existsSync(file)) return { signatures: new Set(), cut: 0 };
  const { entries, cut } = readSoakFile(file, file);
  const found = entries.flatMap(({ line }) => (line.line === 'finding' ? [line.record.violation.signature] : []));
  // A truncated line stays in the file; it is counted once, while it is the last one.
  return { signatures: new Set(found.map(signatureText)), cut: readFileSync(file, 'utf8').endsWith('\n') ? 0 : cut };
}
