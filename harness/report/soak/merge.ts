/**
 * Merges lines of a soak, from any number of files, into the result of one campaign.
 *
 * The result does not depend on the order of the lines, and a line that occurs twice counts once; if a batch was made twice (by
 * two machines with the same shard) the longer one counts. Owns: what is added up and how. Does not own: reading the files
 * (`cli/soak/`), how the result is reported (`report/summary.ts`, `report/run/`). Start at {@link mergeSoak}.
 */
import type { BudgetCheck } from '../../model/baseline.ts';
import type { CorpusSummary } from '../../model/corpus.ts';
import { signatureText } from '../../model/signature.ts';
import {
  reasonText,
  sortedRemarks,
  type CampaignResult,
  type Finding,
  type Inconclusive,
  type PropertyTally,
  type Remark,
} from '../../model/finding.ts';
import { outcomeBesides, outcomeOf } from '../../model/outcome.ts';
import type { UnjudgedRun } from '../../model/recording.ts';
import { countOf, united } from '../../model/sketch.ts';
import type { BatchResult, SoakAbout, SoakBudget, SoakEntry, SoakLineOf } from '../../model/soak.ts';
import type { SoakFacts } from '../../model/soak-facts.ts';
import { waiverText } from '../../model/waiver.ts';
import { causeNames, symptomsOf, type CauseNames } from './causes.ts';
import { budgetsOver, keptOf } from './judged.ts';
import { averageMeasures } from './measures.ts';
import { Parts, type BatchPart } from './parts.ts';
import { compareExamples } from './smallest.ts';
import { useOf } from './use.ts';
import { given } from '../../model/given.ts';

export interface Soak {
  /** The digest that all lines of this soak share, and no line of another soak has. */
  readonly digest: string;
  readonly about: SoakAbout;
  readonly budget: SoakBudget;
  readonly result: CampaignResult;
  /** The lines that contain its findings. */
  readonly examples: readonly SoakLineOf<'finding'>[];
  /** One run for each reason for which runs were inconclusive. */
  readonly unjudged: readonly UnjudgedRun[];
  /** Results of the corpus; absent without a corpus. */
  readonly corpus?: CorpusSummary;
  readonly budgets?: readonly BudgetCheck[];
}

export interface MergeManner {
  /** Whether missing shards make the soak unfinished; false for the report of a single shard. */
  readonly allShards: boolean;
}

/** Returns a result for each target and configuration, sorted by name. */
export function mergeSoak(entries: Iterable<SoakEntry>, manner: MergeManner): readonly Soak[] {
  return [...Map.groupBy(entries, ({ line }) => line.about)]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([, mine]) => oneSoak(new Parts(mine), manner) ?? [])
    .sort((a, b) => (a.about.name === b.about.name ? 0 : a.about.name < b.about.name ? -1 : 1));
}

/** Merges the lines of one soak; returns undefined if no line describes it. */
function oneSoak(parts: Parts, { allShards }: MergeManner): Soak | undefined {
  const [head] = parts.heads;
  if (head === undefined) return undefined;
  const { about: digest, name, target, cluster, file, properties, contended, budget, seed } = head;
  const results = parts.batches.flatMap(({ result }) => result ?? []);
  const names = causeNames(parts.batches);
  const counts = countsOf(parts.batches, names);
  const examples = examplesOf(parts, counts, names);
  const findings = examples.map(({ finding }) => finding);
  const sum = addedUp(results);
  const seen = united(results.map(({ behaviours }) => behaviours));
  const behaviours = countOf(seen);
  const facts = factsOf(parts, results, allShards, behaviours.exact);
  const inconclusive = inconclusiveOf(results);
  const besides = outcomeBesides({
    ...sum,
    interrupted: facts.unfinished.length > 0,
    diverged: results.some(({ diverged }) => diverged),
    inconclusiveRuns: inconclusive.count,
    contended,
    // Violations that a batch had no time to reproduce are ignored, because a later batch will find them again.
    left: [],
  });
  const remarks = remarksOf(results, findings);
  const known = Object.entries(counts).filter(
    ([key]) => !findings.some(({ violation }) => names.keyOf(violation) === key),
  );
  const targetUse = useOf(parts.batches);
  const waived = waivedOf(results);
  const result: CampaignResult = {
    outcome: outcomeOf(findings, besides),
    besides,
    seed,
    ...sum,
    contention: { ...sum.contention, distinctBehaviours: behaviours.count },
    findings,
    inconclusive,
    warnings: [...new Set([...results.flatMap(({ warnings }) => warnings), ...failedText(parts)])].sort(),
    ...(remarks.length === 0 ? {} : { remarks }),
    measures: averageMeasures(results),
    soak: facts,
    ...given({ targetUse }),
    ...(known.length === 0 ? {} : { seenAgain: Object.fromEntries(known) }),
    ...(waived.length === 0 ? {} : { waived }),
  };
  const [corpus, budgets] = [keptOf(parts.judged), budgetsOver(parts.judged)];
  return {
    digest,
    about: { name, target, cluster, file, properties, contended },
    budget,
    result,
    examples: examples.map(({ line }) => line),
    unjudged: unjudgedOf(parts),
    ...given({ corpus, budgets }),
  };
}

function addedUp(
  results: readonly BatchResult[],
): Pick<CampaignResult, 'runs' | 'verified' | 'elapsedMs' | 'contention' | 'perProperty'> {
  return {
    runs: sumOf(results.map(({ runs }) => runs)),
    verified: sumOf(results.map(({ verified }) => verified)),
    // The sum over all shards, although they ran in parallel: the time searched, not the time waited.
    elapsedMs: sumOf(results.map(({ elapsedMs }) => elapsedMs)),
    contention: addCounts(results.map(({ contention }) => contention)),
    perProperty: talliesOf(results),
  };
}

function factsOf(
  parts: Parts,
  results: readonly BatchResult[],
  allShards: boolean,
  behavioursExact: boolean,
): SoakFacts {
  const situations = new Map<string, number>();
  for (const one of results.flatMap((result) => result.situations)) situations.set(one, (situations.get(one) ?? 0) + 1);
  return {
    epochs: parts.epochs,
    shards: parts.shards,
    batches: results.length,
    cutShort: parts.batches.filter(({ result, failed }) => result === undefined && failed === undefined).length,
    failed: parts.batches.filter(({ failed }) => failed !== undefined).length,
    situations: situations.size,
    situationsOnce: [...situations.values()].filter((count) => count === 1).length,
    behavioursExact,
    unfinished: parts.unfinished(allShards),
  };
}

/** Counts runs by cause; a finding of an interrupted batch counts as one run. */
function countsOf(batches: readonly BatchPart[], names: CauseNames): { readonly [cause: string]: number } {
  return addCounts(
    batches.map(({ result, findings }) => {
      if (result !== undefined) return names.renamed(result.counts);
      return Object.fromEntries(findings.map(({ line }) => [names.keyOf(line.record.violation), 1]));
    }),
  );
}

interface Example {
  readonly line: SoakLineOf<'finding'>;
  readonly finding: Finding;
}

/** Selects the best example of each cause. */
function examplesOf(parts: Parts, counts: { readonly [cause: string]: number }, names: CauseNames): readonly Example[] {
  const all = parts.batches.flatMap(({ findings }) => findings);
  const byCause = Map.groupBy(all, ({ line }) => names.keyOf(line.record.violation));
  const symptoms = symptomsOf(parts.batches, names);
  return [...byCause]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([key, examples]) => {
      const [best] = examples
        .map(({ line, text }) => ({ line, record: line.record, text: withoutTime(text) }))
        .sort(compareExamples);
      if (best === undefined) return [];
      const { violation, counterexample, history, stats, neighbour } = best.record;
      const times = [
        ...examples.map(({ line }) => line.at),
        ...parts.batches.flatMap(({ at, result }) => ((names.renamed(result?.counts ?? {})[key] ?? 0) > 0 ? [at] : [])),
      ].sort();
      const seen = { first: times[0] ?? '', last: times.at(-1) ?? '' };
      const count = Math.max(1, counts[key] ?? 0);
      const shown = symptoms[key];
      const how = shown === undefined ? {} : { symptoms: shown };
      const beside = given({ neighbour });
      const finding = {
        violation,
        counterexample,
        record: history,
        stats: { ...stats, count, ...how },
        seen,
        ...beside,
      };
      return [{ line: best.line, finding }];
    });
}

/** Selects, for each reason, the run that is shortest to read. */
function unjudgedOf({ unjudged }: Parts): readonly UnjudgedRun[] {
  const best = new Map<string, Parts['unjudged'][number]>();
  for (const entry of unjudged) {
    const reason = reasonText(entry.line.recording.inconclusive);
    const before = best.get(reason);
    if (before === undefined || compareLines(entry.text, before.text) < 0) best.set(reason, entry);
  }
  return Object.values(byName(best)).map(({ line }) => line.recording);
}

function compareLines(a: string, b: string): number {
  const [one, other] = [withoutTime(a), withoutTime(b)];
  return one.length - other.length || (one < other ? -1 : Number(one > other));
}

/** Returns a line without its time, so that equal examples compare equal. */
function withoutTime(line: string): string {
  return JSON.stringify({ ...(JSON.parse(line) as object), at: '' });
}

/** The tally of a property before the first batch is added. */
const NO_OPINION: PropertyTally = { holds: 0, violated: 0, inconclusive: 0, vacuous: true, untested: true };

function talliesOf(results: readonly BatchResult[]): { readonly [property: string]: PropertyTally } {
  const sum = new Map<string, PropertyTally>();
  for (const { perProperty } of results) {
    for (const [name, more] of Object.entries(perProperty)) {
      const { holds, violated, inconclusive, vacuous, untested } = sum.get(name) ?? NO_OPINION;
      sum.set(name, {
        holds: holds + more.holds,
        violated: violated + more.violated,
        inconclusive: inconclusive + more.inconclusive,
        vacuous: vacuous && more.vacuous,
        ...(untested === true && more.untested === true ? { untested } : {}),
      });
    }
  }
  return byName(sum);
}

/** Adds up inconclusive runs. Any example will do, as long as every reader chooses the same one. */
function inconclusiveOf(results: readonly BatchResult[]): Inconclusive {
  const all = results.flatMap(({ inconclusive }) => Object.entries(inconclusive.examples ?? {}));
  const examples = all.sort(([, a], [, b]) => (a < b ? 1 : -1));
  return {
    count: sumOf(results.map(({ inconclusive }) => inconclusive.count)),
    reasons: addCounts(results.map(({ inconclusive }) => inconclusive.reasons)),
    ...(all.length === 0 ? {} : { examples: byName(new Map(examples)) }),
  };
}

/**
 * Adds up warnings. Any sentence will do, as long as every reader chooses the same one. A warning that another batch reports as
 * a finding is dropped.
 */
function remarksOf(results: readonly BatchResult[], findings: readonly Finding[]): readonly Remark[] {
  const sum = new Map<string, Remark>();
  for (const remark of results.flatMap(({ remarks }) => remarks ?? [])) {
    const key = signatureText(remark.signature);
    const before = sum.get(key) ?? { ...remark, count: 0 };
    const sentence = before.sentence < remark.sentence ? before.sentence : remark.sentence;
    sum.set(key, { ...before, sentence, count: before.count + remark.count });
  }
  for (const { stats, violation } of findings)
    for (const { signature } of [...(stats.symptoms ?? []), violation]) sum.delete(signatureText(signature));
  return sortedRemarks([...sum.values()]);
}

function waivedOf(results: readonly BatchResult[]): NonNullable<CampaignResult['waived']> {
  const sum = new Map<string, NonNullable<CampaignResult['waived']>[number]>();
  for (const { waiver, count } of results.flatMap(({ waived }) => waived ?? [])) {
    const key = `${waiverText(waiver)} ${waiver.expires} ${waiver.reason}`;
    sum.set(key, { waiver, count: (sum.get(key)?.count ?? 0) + count });
  }
  return [...sum].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, one]) => one);
}

function failedText({ batches }: Parts): readonly string[] {
  return batches.flatMap(({ failed }) => (failed === undefined ? [] : [`a batch failed: ${failed.message}`]));
}

function addCounts(all: readonly { readonly [name: string]: number }[]): { readonly [name: string]: number } {
  const sum = new Map<string, number>();
  for (const [name, count] of all.flatMap((counts) => Object.entries(counts)))
    sum.set(name, (sum.get(name) ?? 0) + count);
  return byName(sum);
}

/** Sorts by name, because the order of insertion depends on the order of the lines. */
function byName<T>(map: ReadonlyMap<string, T>): { readonly [name: string]: T } {
  return Object.fromEntries([...map].sort(([a], [b]) => (a < b ? -1 : 1)));
}

function sumOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0);
}
