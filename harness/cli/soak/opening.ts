/** Starts a soak: reads the lines of earlier starts, and writes the line that describes the soak. */
import { existsSync } from 'node:fs';
import { join, relative } from 'node:path';
import { realDate } from '../../determinism/real-time.ts';
import type { RunConfig } from '../../execution/config/run-config.ts';
import { epochSeed } from '../../execution/soak/place.ts';
import { leftOf } from '../../execution/soak/soak.ts';
import type { SoakState } from '../../execution/soak/soak-state.ts';
import { HarnessError } from '../../model/errors.ts';
import type { SoakBudget, SoakEntry, SoakLine, SoakPlace } from '../../model/soak.ts';
import { redactConfigured } from '../../report/redaction/index.ts';
import type { Vault } from '../../report/redaction/vault.ts';
import { countText, spanText } from '../../report/count-text.ts';
import type { CommandContext } from '../command-context.ts';
import { secretSources } from '../../execution/config/secret-sources.ts';
import { namesOf } from '../scenario.ts';
import { readSoakFile, SOAK_FILE } from './log.ts';

/** Reads the lines of earlier starts from the folder. */
export function earlierLines(
  { reportDir }: RunConfig,
  place: SoakPlace,
  program: string | null,
  { console }: CommandContext,
): readonly SoakEntry[] {
  const path = join(reportDir, SOAK_FILE);
  if (!existsSync(path)) return [];
  const source = relative(console.cwd, path);
  const { entries, cut } = readSoakFile(path, source);
  if (cut > 0) console.err(`warning: ${source}: ${countText(cut, 'line')} cut short by a kill, skipped\n`);
  for (const { line } of entries) {
    const isOther = line.about !== place.about || line.epoch !== place.epoch || line.shard !== place.shard;
    if (isOther || (line.line === 'about' && line.program !== program))
      throw new HarnessError(
        'TARGET_MISMATCH',
        `"${source}" is a soak of ${isOther ? 'another target or configuration' : 'another build of the target'}, and only equal ones are added up; start another one with --seed-epoch or --report-dir`,
      );
  }
  return entries;
}

/** Appends the line that describes the soak to a new folder, and again if the budget has changed. */
export function introduce(
  append: (line: SoakLine) => SoakEntry,
  before: readonly SoakEntry[],
  place: SoakPlace,
  config: RunConfig,
  program: string | null,
  { console }: CommandContext,
  vault: Vault,
): void {
  const budget: SoakBudget =
    config.budget.unit === 'ms' ? { timeMs: config.budget.timeMs } : { runs: config.budget.runs };
  const last = before.findLast(({ line }) => line.line === 'about')?.line;
  if (last?.line === 'about' && JSON.stringify(last.budget) === JSON.stringify(budget)) return;
  const { properties, ...names } = namesOf(config, { cwd: console.cwd, env: process.env });
  const head = redactConfigured({ ...names, cluster: config.cluster }, secretSources(config), vault);
  append({
    ...{ version: 1, kind: 'soak-line', ...place, at: realDate().toISOString(), line: 'about', ...head },
    properties: properties.map(({ name, about }) => ({ name, about })),
    contended: config.writers.length + config.faults.length > 0,
    seed: epochSeed(place.epoch),
    budget,
    program,
  });
}

export function goingOnText(state: SoakState, config: RunConfig): string {
  const { batches, runs, causes } = state;
  const rest = leftOf(config, state);
  const left = config.budget.unit === 'ms' ? spanText(rest) : countText(rest, 'run');
  const totals = [
    countText(batches, 'batch').replace(/hs$/, 'hes'),
    countText(runs, 'run'),
    countText(causes, 'finding'),
  ];
  return `continues after ${totals.join(', ')}: ${left} left`;
}
