/**
 * The summary of a campaign: the `--json` document, from which the closing lines in the terminal (`summary-text.ts`) are also
 * rendered.
 */
import { z } from 'zod';
import { CONFIRM_ON, type Confirmation, type Reproduced } from '../model/confirmation.ts';
import type {
  CampaignOutcome,
  CampaignResult,
  Finding,
  Grade,
  Inconclusive,
  OnBase,
  PropertyTally,
} from '../model/finding.ts';
import type { BudgetCheck } from '../model/baseline.ts';
import { signatureText } from '../model/signature.ts';
import type { Cause } from '../model/cause.ts';
import type { SoakFacts } from '../model/soak-facts.ts';
import { hasNoVerdict, isStoppedEarly } from '../model/outcome.ts';
import { waiverText } from '../model/waiver.ts';
import { reconcilesBeside, summariseUse, useSchema, type UseSummary } from './target-use.ts';
import { budgetSchema } from './budgets.ts';
import { seenSchema, soakSchema, type SeenTimes } from './soak/text.ts';
import { becauseOf, type Because, type ShownSymptom } from './symptoms.ts';
import { remarksOf, remarksSchema, type RemarkLine } from './remarks.ts';
import { SIGNATURE_FIELDS } from './shown-signature.ts';
import { leftOutOf, leftOutSchema, type Again, type LeftOutLine } from './left-out.ts';
import { corpusSummarySchema, outcomeWith, type CorpusSummary } from './corpus-summary.ts';
import { given } from '../model/given.ts';

export interface SummaryFinding extends Because {
  readonly signature: string;
  readonly property: string;
  readonly class: string;
  readonly sentence: string;
  /** Path of the counterexample, relative to the working directory; `null` if it could not be written. */
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
  /** Whether it fails with the base build too, and so is not new; absent without a base build. */
  readonly onBase?: OnBase;
  /** Whether it reproduced on a real API server. */
  readonly confirmed?: Confirmation;
  /** The reconciles that the target's own metrics counted in the run. */
  readonly reconciles?: string;
  /** For a soak: when it occurred first and last. */
  readonly seen?: SeenTimes;
}

/** The `--json` document. */
export interface Summary {
  readonly version: 1;
  readonly outcome: CampaignOutcome;
  readonly seed: number;
  readonly runs: number;
  /** Number of runs that were repeated with byte-identical histories. */
  readonly verified: number;
  readonly elapsedMs: number;
  readonly contention: { readonly [counter: string]: number };
  readonly findings: readonly SummaryFinding[];
  readonly inconclusive: Inconclusive;
  readonly perProperty: { readonly [property: string]: PropertyTally };
  readonly warnings: readonly string[];
  /** The last output of the target; absent if there is a verdict. */
  readonly printed?: readonly string[];
  /** Warnings of properties, which do not fail the run; absent if there are none. */
  readonly remarks?: readonly RemarkLine[];
  /** True if the search was interrupted or failed. Absent if it finished. */
  readonly stoppedEarly?: true;
  /** What was left out for lack of time; absent if nothing was. */
  readonly leftOut?: readonly LeftOutLine[];
  /** Use of system resources by a target that is a process. */
  readonly targetUse?: UseSummary;
  /** Results of the corpus, which is replayed before the search. */
  readonly corpus?: CorpusSummary;
  /** Number of runs that failed like a finding of the corpus, by cause or signature. */
  readonly seenAgain?: { readonly [cause: string]: number };
  /** Measures compared with the baseline; absent if the project has none. */
  readonly budgets?: readonly BudgetCheck[];
  /** Waivers of the configuration, with the number of violations that each covered. */
  readonly waived?: readonly SummaryWaiver[];
  /** The totals of many campaigns. */
  readonly soak?: SoakFacts;
}

export interface SummaryWaiver {
  /** For example `no-lost-update of deployments.apps spec.replicas`. */
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

export const confirmationSchema: z.ZodType<Confirmation> = z
  .strictObject({
    cluster: z.enum(CONFIRM_ON),
    server: z.string(),
    reproduced: z.strictObject({ k: z.int(), n: z.int() }),
  })
  .meta({ description: 'Result on a real API server; absent where none was used' });

export const causeSchema: z.ZodType<Cause> = z
  .strictObject({ key: z.string(), text: z.string() })
  .meta({ description: 'Its cause; the key is the same wherever it is found' });

export const symptomsSchema: z.ZodType<readonly ShownSymptom[]> = z
  .array(
    z.strictObject({
      ...SIGNATURE_FIELDS,
      count: z.int(),
    }),
  )
  .meta({ description: 'How the cause shows, and in how many runs' });

export const printedSchema: z.ZodType<readonly string[]> = z
  .array(z.string())
  .meta({ description: 'What the target printed last; absent where there is a verdict' });

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
        cause: causeSchema.exactOptional(),
        symptoms: symptomsSchema.exactOptional(),
        counterexample: z.string().nullable().meta({ description: 'Path; null when it could not be written' }),
        steps: z.int(),
        preemptions: z.int(),
        holds: z.int(),
        faults: z.int(),
        actors: z.int(),
        executions: z.int().meta({ description: 'Runs that shrinking took' }),
        reproduced: z.strictObject({ k: z.int(), n: z.int() }),
        count: z.int().meta({ description: 'Runs that showed this cause' }),
        severity: z.enum(['error', 'warning']),
        grade: z.enum(['everyday', 'restart-or-HA', 'pathological']),
        onBase: z
          .enum(['fails', 'holds', 'unknown'])
          .exactOptional()
          .meta({ description: 'On the base build: what fails there too is not new' }),
        confirmed: confirmationSchema.exactOptional(),
        reconciles: z.string().exactOptional().meta({ description: 'What the metrics of the target say of the run' }),
        seen: seenSchema.exactOptional(),
      }),
    ),
    inconclusive: z.strictObject({
      count: z.int(),
      reasons: counters,
      examples: z
        .record(z.string(), z.string())
        .exactOptional()
        .meta({ description: 'What the target was busy with in the first such run, by reason' }),
      files: z
        .record(z.string(), z.string())
        .exactOptional()
        .meta({ description: 'Where the first such run is stored, by reason' }),
    }),
    perProperty: z.record(
      z.string(),
      z.strictObject({
        holds: z.int(),
        violated: z.int(),
        inconclusive: z.int(),
        vacuous: z.boolean(),
        untested: z.literal(true).exactOptional().meta({ description: 'No run exercised it' }),
      }),
    ),
    warnings: z.array(z.string()),
    printed: printedSchema.exactOptional(),
    remarks: remarksSchema.exactOptional(),
    stoppedEarly: z.literal(true).exactOptional().meta({ description: 'The search did not finish' }),
    leftOut: z.array(leftOutSchema).exactOptional(),
    targetUse: useSchema.exactOptional(),
    corpus: corpusSummarySchema.exactOptional(),
    budgets: z.array(budgetSchema).exactOptional().meta({ description: 'Measures compared with the baseline' }),
    waived: z
      .array(waivedSchema)
      .exactOptional()
      .meta({ description: 'Waivers, and how many violations each covered' }),
    soak: soakSchema.exactOptional(),
    seenAgain: counters
      .exactOptional()
      .meta({ description: 'Runs that failed like a finding of the corpus, by cause or signature' }),
  })
  .meta({ id: 'Summary', description: 'The result of a campaign: the document of `stalemate run --json`' });

/**
 * Summarises a campaign.
 *
 * @param pathOf - Returns the path of a finding's counterexample, if it was written.
 * @param corpus - Results of the corpus.
 * @param budgets - Results of the comparison with the baseline.
 */
export function summarise(
  result: CampaignResult,
  pathOf: (finding: Finding) => string | undefined,
  corpus?: CorpusSummary,
  budgets?: readonly BudgetCheck[],
  again?: Again,
): Summary {
  const use = result.targetUse === undefined ? undefined : summariseUse(result.targetUse);
  const leftOut = leftOutOf(result, pathOf, corpus, again);
  const outcome = outcomeOf(result.outcome, corpus, budgets);
  return {
    version: 1,
    outcome,
    seed: result.seed,
    runs: result.runs,
    verified: result.verified,
    elapsedMs: Math.round(result.elapsedMs),
    contention: { ...result.contention },
    findings: result.findings.map((finding) => summariseFinding(finding, pathOf(finding))),
    inconclusive: result.inconclusive,
    perProperty: result.perProperty,
    warnings: result.warnings,
    ...(result.printed === undefined || !hasNoVerdict(outcome) ? {} : { printed: result.printed }),
    ...(result.remarks === undefined ? {} : { remarks: remarksOf(result.remarks) }),
    ...(isStoppedEarly(result) ? { stoppedEarly: true as const } : {}),
    ...(leftOut.length === 0 ? {} : { leftOut }),
    ...given({ targetUse: use, corpus, seenAgain: result.seenAgain, budgets, soak: result.soak }),
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

function summariseFinding(
  { violation, stats, record, onBase, seen, counterexample: { confirmed } }: Finding,
  path: string | undefined,
): SummaryFinding {
  const reconciles = reconcilesBeside(violation.signature.property, record.measurements);
  return {
    signature: signatureText(violation.signature),
    property: violation.signature.property,
    class: violation.signature.class,
    sentence: violation.sentence,
    ...becauseOf(violation, stats),
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
    ...given({ onBase, confirmed, reconciles, seen }),
  };
}
