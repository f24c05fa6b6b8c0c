/**
 * What a campaign came to: the `--json` document and the closing lines in the terminal. Both are read off the same value.
 */
import pc from 'picocolors';
import { z } from 'zod';
import type {
  CampaignOutcome,
  CampaignResult,
  Finding,
  Grade,
  OnBase,
  PropertyTally,
  Reproduced,
} from '../model/finding.ts';
import { reconcilesBeside, summariseUse, useLines, useSchema, type UseSummary } from './target-use.ts';
import type { BudgetCheck } from '../model/baseline.ts';
import { signatureText } from '../model/check-result.ts';
import { waiverText } from '../model/waiver.ts';
import { budgetLines, budgetSchema } from './budgets.ts';
import { corpusHeadline, corpusLines, corpusSummarySchema, outcomeWith, type CorpusSummary } from './corpus-summary.ts';

export interface SummaryFinding {
  readonly signature: string;
  readonly property: string;
  readonly class: string;
  readonly sentence: string;
  /** Path of the counterexample, relative to the working directory; `null` when it could not be written. */
  readonly counterexample: string | null;
  readonly steps: number;
  readonly preemptions: number;
  readonly holds: number;
  readonly faults: number;
  readonly actors: number;
  readonly executions: number;
  readonly reproduced: Reproduced;
  readonly count: number;
  readonly severity: 'error' | 'warning';
  readonly grade: Grade;
  /** Where there is a base build: what fails there too is not new. */
  readonly onBase?: OnBase;
  /** What the target's own metrics say of the run. */
  readonly reconciles?: string;
}

/** The `--json` document. */
export interface Summary {
  readonly version: 1;
  readonly outcome: CampaignOutcome;
  readonly seed: number;
  readonly runs: number;
  /** Runs made twice with byte-identical histories. */
  readonly verified: number;
  readonly elapsedMs: number;
  readonly contention: { readonly [counter: string]: number };
  readonly findings: readonly SummaryFinding[];
  readonly inconclusive: { readonly count: number; readonly reasons: { readonly [reason: string]: number } };
  readonly perProperty: { readonly [property: string]: PropertyTally };
  readonly warnings: readonly string[];
  /** Of a target that is a process. */
  readonly targetUse?: UseSummary;
  /** What the findings that the project keeps came to, before the search. */
  readonly corpus?: CorpusSummary;
  /** Runs by signature that failed as a kept finding does. */
  readonly seenAgain?: { readonly [signature: string]: number };
  /** Measures beside those of the baseline; absent where the project has none. */
  readonly budgets?: readonly BudgetCheck[];
  /** Waivers of the configuration, and how many violations each covered. */
  readonly waived?: readonly SummaryWaiver[];
}

export interface SummaryWaiver {
  /** `no-lost-update of deployments.apps spec.replicas` */
  readonly waiver: string;
  readonly reason: string;
  readonly expires: string;
  readonly count: number;
}

export const waivedSchema: z.ZodType<SummaryWaiver> = z.strictObject({
  waiver: z.string(),
  reason: z.string(),
  expires: z.string(),
  count: z.int(),
});

const counters = z.record(z.string(), z.number());

/** Describes the `--json` document; published as a JSON Schema. */
export const summarySchema: z.ZodType<Summary> = z
  .strictObject({
    version: z.literal(1),
    outcome: z.enum(['holds', 'violated', 'inconclusive', 'vacuous', 'interrupted']),
    seed: z.int(),
    runs: z.int(),
    verified: z.int().meta({ description: 'Runs made twice with byte-identical histories' }),
    elapsedMs: z.number(),
    contention: counters.meta({ description: 'How hard the runs contended, by counter' }),
    findings: z.array(
      z.strictObject({
        signature: z.string(),
        property: z.string(),
        class: z.string(),
        sentence: z.string(),
        counterexample: z.string().nullable().meta({ description: 'Path; null when it could not be written' }),
        steps: z.int(),
        preemptions: z.int(),
        holds: z.int(),
        faults: z.int(),
        actors: z.int(),
        executions: z.int().meta({ description: 'Runs that shrinking took' }),
        reproduced: z.strictObject({ k: z.int(), n: z.int() }),
        count: z.int().meta({ description: 'Runs that failed this way' }),
        severity: z.enum(['error', 'warning']),
        grade: z.enum(['everyday', 'restart-or-HA', 'pathological']),
        onBase: z
          .enum(['fails', 'holds', 'unknown'])
          .exactOptional()
          .meta({ description: 'On the base build: what fails there too is not new' }),
        reconciles: z.string().exactOptional().meta({ description: 'What the metrics of the target say of the run' }),
      }),
    ),
    inconclusive: z.strictObject({ count: z.int(), reasons: counters }),
    perProperty: z.record(
      z.string(),
      z.strictObject({ holds: z.int(), violated: z.int(), inconclusive: z.int(), vacuous: z.boolean() }),
    ),
    warnings: z.array(z.string()),
    targetUse: useSchema.exactOptional(),
    corpus: corpusSummarySchema.exactOptional(),
    budgets: z.array(budgetSchema).exactOptional().meta({ description: 'Measures beside those of the baseline' }),
    waived: z
      .array(waivedSchema)
      .exactOptional()
      .meta({ description: 'Waivers, and how many violations each covered' }),
    seenAgain: counters.exactOptional().meta({ description: 'Runs by signature that failed as a kept finding does' }),
  })
  .meta({ id: 'Summary', description: 'What a campaign came to: the document of `stalemate run --json`' });

/**
 * Sums a campaign up.
 *
 * @param pathOf tells where a finding's counterexample was written, if it was.
 * @param corpus what was replayed before the search.
 * @param budgets what was compared with the baseline.
 */
export function summarise(
  result: CampaignResult,
  pathOf: (finding: Finding) => string | undefined,
  corpus?: CorpusSummary,
  budgets?: readonly BudgetCheck[],
): Summary {
  const use = result.targetUse === undefined ? undefined : summariseUse(result.targetUse);
  return {
    version: 1,
    outcome: outcomeOf(result.outcome, corpus, budgets),
    seed: result.seed,
    runs: result.runs,
    verified: result.verified,
    elapsedMs: Math.round(result.elapsedMs),
    contention: { ...result.contention },
    findings: result.findings.map((finding) => summariseFinding(finding, pathOf(finding))),
    inconclusive: result.inconclusive,
    perProperty: result.perProperty,
    warnings: result.warnings,
    ...(use === undefined ? {} : { targetUse: use }),
    ...(corpus === undefined ? {} : { corpus }),
    ...(result.seenAgain === undefined ? {} : { seenAgain: result.seenAgain }),
    ...(budgets === undefined ? {} : { budgets }),
    ...(result.waived === undefined ? {} : { waived: result.waived.map(summariseWaiver) }),
  };
}

function outcomeOf(
  searched: CampaignOutcome,
  corpus: CorpusSummary | undefined,
  budgets: readonly BudgetCheck[] = [],
): CampaignOutcome {
  if (budgets.some(({ exceeded }) => exceeded)) return 'violated';
  return corpus === undefined ? searched : outcomeWith(searched, corpus);
}

export function summariseWaiver({ waiver, count }: NonNullable<CampaignResult['waived']>[number]): SummaryWaiver {
  return { waiver: waiverText(waiver), reason: waiver.reason, expires: waiver.expires, count };
}

/** One that covers nothing may go: but a short campaign may only have missed it. */
export function waiverLines({ waived = [] }: Pick<Summary, 'waived'>): readonly string[] {
  return waived.map(({ waiver, reason, expires, count }) => {
    const covered = count === 0 ? 'covered nothing' : `covered ${countText(count, 'violation')}`;
    return `waived: ${waiver}, until ${expires} (${reason}): ${covered}`;
  });
}

function summariseFinding({ violation, stats, record, onBase }: Finding, path: string | undefined): SummaryFinding {
  const reconciles = reconcilesBeside(violation.signature.property, record.measurements);
  return {
    signature: signatureText(violation.signature),
    property: violation.signature.property,
    class: violation.signature.class,
    sentence: violation.sentence,
    counterexample: path ?? null,
    steps: stats.stepsAfter,
    preemptions: stats.preemptions,
    holds: stats.holds,
    faults: stats.faults,
    actors: stats.actorsAfter,
    executions: stats.executions,
    reproduced: stats.reproduced,
    count: stats.count,
    severity: violation.severity,
    grade: stats.grade,
    ...(onBase === undefined ? {} : { onBase }),
    ...(reconciles === undefined ? {} : { reconciles }),
  };
}

const HEADLINES: { readonly [outcome in CampaignOutcome]: string } = {
  holds: 'all properties hold',
  violated: 'violated',
  inconclusive: 'inconclusive',
  vacuous: 'vacuous: nothing contended, or something that was to come by never did',
  interrupted: 'interrupted: what was found until then is kept',
};

/** The closing lines of a campaign. */
export function renderSummary(summary: Summary, options: { readonly color: boolean }): string {
  const colors = pc.createColors(options.color);
  const { outcome, findings } = summary;
  const paint = outcome === 'holds' ? colors.green : outcome === 'violated' ? colors.red : colors.yellow;
  const old = findings.filter(isOld);
  const headline =
    outcome === 'violated'
      ? violatedText(summary)
      : outcome === 'holds' && old.length > 0
        ? `nothing new fails: ${countText(old.length, 'pre-existing finding')}`
        : HEADLINES[outcome];
  const lines = [
    colors.bold(paint(headline)),
    `seed ${summary.seed} · ${runsText(summary)} · ${contentionText(summary.contention)}`,
  ];
  const little = littleText(summary);
  if (little !== undefined) lines.push(little);
  else if (outcome === 'holds' && old.length === 0 && summary.runs > 3 && !hasKnown(summary))
    lines.push(confidenceText(summary.runs));
  for (const finding of findings) {
    const { property, sentence, counterexample, count, reconciles } = finding;
    lines.push(`  ${isOld(finding) ? '– pre-existing' : '✗'} ${property}: ${sentence}`);
    if (reconciles !== undefined) lines.push(`    ${reconciles}`);
    lines.push(`    ${countText(count, 'run')} · ${counterexample ?? 'not written'}`);
  }
  if (summary.corpus !== undefined) lines.push(...corpusLines(summary.corpus, summary.seenAgain));
  if (summary.budgets !== undefined) lines.push(...budgetLines(summary.budgets));
  lines.push(...waiverLines(summary));
  const untested = Object.entries(summary.perProperty).filter(([, tally]) => tally.vacuous);
  if (untested.length > 0) lines.push(`not put to the test: ${untested.map(([property]) => property).join(', ')}`);
  if (summary.targetUse !== undefined) lines.push(...useLines(summary.targetUse));
  if (summary.inconclusive.count > 0) lines.push(...inconclusiveLines(summary));
  lines.push(...summary.warnings.map((warning) => `warning: ${warning}`));
  return `${lines.join('\n')}\n`;
}

/** Whether anything failed that is known or put up with. */
function hasKnown({ seenAgain, waived = [] }: Summary): boolean {
  return seenAgain !== undefined || waived.some(({ count }) => count > 0);
}

/** Whether a finding was there before the change. */
function isOld({ onBase }: SummaryFinding): boolean {
  return onBase === 'fails';
}

/** `1 distinct finding, 1 regression` */
function violatedText({ findings: all, corpus, budgets = [] }: Summary): string {
  const findings = all.filter((finding) => !isOld(finding));
  const over = budgets.filter(({ exceeded }) => exceeded).length;
  const kept = [
    ...(corpus === undefined ? [] : corpusHeadline(corpus)),
    ...(over === 0 ? [] : [`${countText(over, 'measure')} over budget`]),
  ];
  const fresh = findings.length === 0 && kept.length > 0 ? [] : [countText(findings.length, 'distinct finding')];
  return [...fresh, ...kept].join(', ');
}

function runsText({ runs, verified, elapsedMs }: Summary): string {
  const seconds = elapsedMs / 1000;
  const rate = seconds > 0 ? `, ${rateText(runs / seconds)}/s` : '';
  return `${countText(runs, 'run')} in ${seconds.toFixed(1)} s${rate}${verified === 0 ? '' : ` · ${verified} made twice, byte-equal`}`;
}

/** Runs per second as a person reads them. */
export function rateText(rate: number): string {
  return rate >= 100 ? String(Math.round(rate)) : rate.toFixed(1);
}

function contentionText(contention: { readonly [counter: string]: number }): string {
  const parts = Object.entries(contention).map(([name, value]) => `${spaced(name)}: ${value}`);
  return parts.length === 0 ? 'no contention counted' : parts.join(', ');
}

/** `foreignWritesBetweenReadAndWrite` → `foreign writes between read and write`. */
function spaced(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}

/** The rule of three: with no failure in n runs, the chance of one is below 3/n with 95 % confidence. */
function confidenceText(runs: number): string {
  return `no failure in ${runs} runs: a run like these fails with p < ${(3 / runs).toPrecision(1)} (95 %)`;
}

/** Fewer runs than that, of a hundred, in which anybody got in the target's way are next to none. */
const CONTENDED_MIN = 1;

/** How little stands behind a green campaign in which hardly anything contended; undefined where enough did. */
function littleText({ outcome, runs, contention }: Summary): string | undefined {
  if (runs === 0 || (outcome !== 'holds' && outcome !== 'vacuous')) return undefined;
  const [conflicts, stale] = [contention['conflicts'] ?? 0, contention['staleReads'] ?? 0];
  const overlaps = conflicts + stale + (contention['foreignWritesBetweenReadAndWrite'] ?? 0);
  if (overlaps * 100 >= runs * CONTENDED_MIN) return undefined;
  const faults = contention['faults'] ?? 0;
  const other = faults === 0 ? 'nothing else was put in its way' : `besides, it got over ${countText(faults, 'fault')}`;
  const seen =
    overlaps === 0
      ? `in none of ${countText(runs, 'run')} did the target meet a conflict, act on a stale read, or write what somebody else had just changed`
      : `in ${countText(runs, 'run')} the target met ${countText(conflicts, 'conflict')} and acted on ${countText(stale, 'stale read')}`;
  return `this proves little: ${seen}; ${other}. Does the sample have it write anything that others may write, and are writers and faults on?`;
}

function inconclusiveLines({ inconclusive, runs }: Summary): readonly string[] {
  const share = runs === 0 ? '' : ` (${((100 * inconclusive.count) / runs).toFixed(1)} %)`;
  const reasons = Object.entries(inconclusive.reasons).sort(([, a], [, b]) => b - a);
  return [
    `inconclusive: ${countText(inconclusive.count, 'run')}${share}`,
    ...reasons.slice(0, 5).map(([reason, count]) => `  ${count} × ${reason}`),
  ];
}

export function countText(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
