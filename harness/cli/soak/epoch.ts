/** Determines the epoch of a soak: the one that a flag names, an unfinished one, or that of today. */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { realDate } from '../../determinism/real-time.ts';
import { storedTarget } from '../../execution/search/counterexample.ts';
import type { RunConfig } from '../../execution/config/run-config.ts';
import { aboutOf, shardText } from '../../execution/soak/place.ts';
import { HarnessError } from '../../model/errors.ts';
import type { Shard, SoakEntry, SoakLine } from '../../model/soak.ts';
import { readSoakFile, SOAK_FILE } from './log.ts';

/** Identifies a soak, whatever its epoch: two starts with equal values continue the same soak. */
export interface SoakIdentity {
  /** Digest of the target and configuration. */
  readonly about: string;
  /** Digest of the build; `null` if there is none. */
  readonly program: string | null;
  readonly shard: Shard;
}

export function soakAbout(config: RunConfig): string {
  const target = storedTarget(config);
  return aboutOf(config, 'module' in target ? target.module : `${target.command[0] ?? ''} ${target.directory}`);
}

/** Returns the folder of a shard. */
export function soakFolder(reportDir: string, epoch: string, { index, count }: Shard): string {
  return join(reportDir, 'soak', epoch, `${index}-of-${count}`);
}

/** Returns today's date in UTC. */
export function today(): string {
  return realDate().toISOString().slice(0, 10);
}

/** Returns the unfinished epoch of this shard with the latest entry; undefined if there is none. */
export function unfinishedEpoch(reportDir: string, soak: SoakIdentity): string | undefined {
  const folder = join(reportDir, 'soak');
  const epochs = existsSync(folder) ? readdirSync(folder) : [];
  const begun = epochs.flatMap((epoch) => {
    const entries = entriesOf(join(soakFolder(reportDir, epoch, soak.shard), SOAK_FILE));
    return isSame(entries, soak) && !isFinished(entries) ? [{ epoch, at: entries.at(-1)?.line.at ?? '' }] : [];
  });
  return begun.sort((a, b) => (a.at < b.at ? 1 : -1))[0]?.epoch;
}

/** Reads the entries of a soak; empty if they cannot be read, because such a soak is not continued unless a flag names it. */
function entriesOf(path: string): readonly SoakEntry[] {
  if (!existsSync(path)) return [];
  try {
    return readSoakFile(path, path).entries;
  } catch (error) {
    if (error instanceof HarnessError) return [];
    throw error;
  }
}

function isSame(entries: readonly SoakEntry[], { about, program, shard }: SoakIdentity): boolean {
  return (
    entries.length > 0 &&
    entries.every(
      ({ line }) =>
        line.about === about && line.shard === shardText(shard) && (line.line !== 'about' || line.program === program),
    )
  );
}

/** Lines that reopen or end a shard; a finding that is reported again does neither. */
const TURNS: ReadonlySet<SoakLine['line']> = new Set(['about', 'begun', 'batch', 'failed', 'ended']);

function isFinished(entries: readonly SoakEntry[]): boolean {
  return entries.findLast(({ line }) => TURNS.has(line.line))?.line.line === 'ended';
}
