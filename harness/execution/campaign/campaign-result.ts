/** What a campaign amounts to, once it has ended. */
import { rounded, type Measures } from '../../model/baseline.ts';
import { signatureText } from '../../model/check-result.ts';
import type { CampaignResult, Finding } from '../../model/finding.ts';
import { addedUp } from '../../model/left-out.ts';
import { outcomeBesides, outcomeOf } from '../../model/outcome.ts';
import { sketchOf } from '../../model/sketch.ts';
import { waiverText } from '../../model/waiver.ts';
import type { RunConfig } from '../config/run-config.ts';
import type { SearchTally } from '../search/tally.ts';
import { NO_USE } from '../search/target-use.ts';

/** A campaign that has ended. */
export interface Ended {
  readonly config: RunConfig;
  readonly findings: readonly Finding[];
  readonly total: SearchTally;
  /** Of the runs without contention. */
  readonly undisturbed: Measures;
  readonly warnings: readonly string[];
  /** Before its budget was used up. */
  readonly interrupted: boolean;
  readonly elapsedMs: number;
  /** Signatures that were known from elsewhere. */
  readonly expected: readonly string[];
}

export function campaignResult(ended: Ended): CampaignResult {
  const { config, findings, total, undisturbed, interrupted, elapsedMs, expected } = ended;
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
    findings: findings.map((finding) => counted(finding, total)),
    warnings: [...ended.warnings, ...troubles(total, config), ...new Set(total.warnings)],
    inconclusive: {
      count: total.inconclusiveRuns,
      reasons: total.inconclusive,
      ...(Object.keys(total.examples).length === 0 ? {} : { examples: total.examples }),
    },
    perProperty: total.perProperty,
    ...(total.use === NO_USE ? {} : { targetUse: total.use }),
    measures: { ...undisturbed, ...averages(total) },
    seen: { behaviours: sketchOf(total.behaviours), situations: [...total.situations].sort() },
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
    `no reconciles were counted: ${asked} was asked, and ${use.metricsFailed}; expected controller_runtime_reconcile_total or another *_reconcile*_total`,
  ];
}

/** With how often it was seen; one that took its worker down was seen by nobody who counts. */
function counted(finding: Finding, { counts }: SearchTally): Finding {
  const count = counts[signatureText(finding.violation.signature)] ?? 1;
  return { ...finding, stats: { ...finding.stats, count: Math.max(1, count) } };
}

function averages({ load, runs }: SearchTally): Measures {
  if (runs === 0) return {};
  return {
    requestsPerRun: rounded(load.requests / runs),
    writesPerRun: rounded(load.writes / runs),
    refusedPerRun: rounded(load.refused / runs),
  };
}

function seenAgain({ counts }: SearchTally, expected: readonly string[]): Pick<CampaignResult, 'seenAgain'> {
  const seen = expected.flatMap((signature) => {
    const count = counts[signature] ?? 0;
    return count === 0 ? [] : [[signature, count] as const];
  });
  return seen.length === 0 ? {} : { seenAgain: Object.fromEntries(seen) };
}
