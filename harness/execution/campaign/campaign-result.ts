/** Builds the result of a campaign that has ended. */
import { rounded, type Measures } from '../../model/baseline.ts';
import { causeKey, sortedSymptoms, type KnownCause, type Symptoms } from '../../model/cause.ts';
import { ranked } from './rank.ts';
import type { CampaignResult, Finding } from '../../model/finding.ts';
import { addedUp } from '../../model/left-out.ts';
import { hasNoVerdict, outcomeBesides, outcomeOf } from '../../model/outcome.ts';
import { sketchOf } from '../../model/sketch.ts';
import { waiverText } from '../../model/waiver.ts';
import type { RunConfig } from '../config/run-config.ts';
import { remarksOf } from '../search/remarks.ts';
import type { SearchTally } from '../search/tally.ts';
import { NO_USE } from '../search/target-use.ts';

/** A campaign that has ended. */
export interface Ended {
  readonly config: RunConfig;
  readonly findings: readonly Finding[];
  readonly total: SearchTally;
  /** Measures of the undisturbed runs. */
  readonly undisturbed: Measures;
  readonly warnings: readonly string[];
  /** Lines that the target printed before the search ended with an error. */
  readonly printed: readonly string[];
  /** Whether the campaign ended before its budget was used up. */
  readonly interrupted: boolean;
  readonly elapsedMs: number;
  /** Causes that were known before the campaign, from other sources. */
  readonly expected: readonly KnownCause[];
}

export function campaignResult(ended: Ended): CampaignResult {
  const { config, findings, total, undisturbed, interrupted, elapsedMs, expected } = ended;
  const remarks = remarksOf(total);
  const isCut = interrupted || ended.printed.length > 0;
  const printed = isCut ? ended.printed : (total.printed?.lines ?? []);
  const besides = outcomeBesides({
    ...total,
    interrupted,
    diverged: total.divergence !== undefined,
    contended: config.writers.length + config.faults.length > 0,
  });
  return {
    outcome: outcomeOf(findings, besides),
    besides,
    seed: config.seed,
    runs: total.runs,
    elapsedMs: Math.round(elapsedMs),
    contention: { ...total.contention, distinctBehaviours: total.behaviours.size },
    verified: total.verified,
    findings: ranked(findings.map((finding) => counted(finding, total))),
    warnings: [...ended.warnings, ...troubles(total, config), ...new Set(total.warnings)],
    ...(printed.length === 0 || !hasNoVerdict(besides) ? {} : { printed }),
    ...(remarks.length === 0 ? {} : { remarks }),
    inconclusive: {
      count: total.inconclusiveRuns,
      reasons: total.inconclusive,
      ...(Object.keys(total.examples).length === 0 ? {} : { examples: total.examples }),
    },
    perProperty: total.perProperty,
    ...(total.use === NO_USE ? {} : { targetUse: total.use }),
    measures: { ...undisturbed, ...averages(total) },
    seen: {
      behaviours: sketchOf(total.behaviours),
      situations: [...total.situations].sort(),
      symptoms: symptomsOf(total),
    },
    diverged: total.divergence !== undefined,
    ...seenAgain(total, expected),
    ...(total.left.length === 0 ? {} : { leftOut: addedUp(total.left) }),
    ...(config.waivers.length === 0
      ? {}
      : { waived: config.waivers.map((waiver) => ({ waiver, count: total.waived[waiverText(waiver)] ?? 0 })) }),
  };
}

function troubles({ divergence, use }: SearchTally, { process }: RunConfig): readonly string[] {
  const diverged =
    divergence === undefined ? [] : [`the same workload and schedule gave two different histories: ${divergence}`];
  if (use.counted > 0 || use.metricsFailed === undefined) return diverged;
  const asked = process?.metrics ?? '';
  return [
    ...diverged,
    `no reconciles were counted from ${asked}: ${use.metricsFailed}; expected controller_runtime_reconcile_total or another *_reconcile*_total`,
  ];
}

/** Adds the number of times a finding was seen; at least 1, since a lost worker does not count the finding that it caused. */
function counted(finding: Finding, total: SearchTally): Finding {
  // The cause may also have been counted under other keys, such as the key of an earlier example that was replaced.
  const keys = [...new Set([causeKey(finding.violation), ...(finding.also ?? [])])];
  const { signature } = finding.violation;
  const count = Math.max(
    1,
    keys.reduce((sum, key) => sum + (total.causes[key] ?? 0), 0),
  );
  const all = symptomsOf(total);
  const seen = keys.flatMap((key) => all[key] ?? []);
  const symptoms = seen.length > 0 ? seen : [{ signature, count }];
  return { ...finding, stats: { ...finding.stats, count, symptoms } };
}

function symptomsOf({ symptoms }: SearchTally): Symptoms {
  return Object.fromEntries(
    Object.entries(symptoms)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, of]) => [key, sortedSymptoms(Object.values(of))]),
  );
}

function averages({ load, runs }: SearchTally): Measures {
  if (runs === 0) return {};
  return {
    requestsPerRun: rounded(load.requests / runs),
    writesPerRun: rounded(load.writes / runs),
    refusedPerRun: rounded(load.refused / runs),
  };
}

function seenAgain({ causes }: SearchTally, expected: readonly KnownCause[]): Pick<CampaignResult, 'seenAgain'> {
  const seen = expected.flatMap(({ key }) => {
    const count = causes[key] ?? 0;
    return count === 0 ? [] : [[key, count] as const];
  });
  return seen.length === 0 ? {} : { seenAgain: Object.fromEntries(seen) };
}
