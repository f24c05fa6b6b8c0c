/** Makes the run document from campaigns. Pure; expects redacted results. Start with {@link makeScenario}. */
import { saysNothing } from '../../model/corpus.ts';
import { signatureText } from '../../model/signature.ts';
import { InvariantError } from '../../model/errors.ts';
import { failsRun, hasNoVerdict, isStoppedEarly } from '../../model/outcome.ts';
import type { CampaignOutcome, CampaignResult, Finding } from '../../model/finding.ts';
import { leftOutOf, type Again } from '../left-out.ts';
import { remarksOf } from '../remarks.ts';
import { quoted } from '../shell-word.ts';
import { failsRun as isKeptFailing, type CorpusSummary, type CorpusSummaryEntry } from '../corpus-summary.ts';
import { summariseWaiver } from '../summary.ts';
import { becauseOf } from '../symptoms.ts';
import { shownSignature } from '../shown-signature.ts';
import { tellStory } from '../story.ts';
import { renderStory, triedText } from '../terminal.ts';
import { fileStem } from '../title.ts';
import { RUN_VERSION, type KeptFinding, type ReportedFinding, type RunDocument, type Scenario } from './document.ts';
import { runSchema } from './document-schema.ts';
import { sequenceOf } from './mermaid.ts';
import { given } from '../../model/given.ts';

/** Paths of a finding's files, relative to the working directory; `null` for a file that could not be written. */
export type FindingPaths = Pick<ReportedFinding, 'counterexample' | 'record' | 'page'>;

/** Facts about a scenario that are not in the result of its campaign. */
export interface ScenarioFacts extends Pick<Scenario, 'name' | 'target' | 'cluster' | 'budget' | 'file'> {
  readonly properties: readonly { readonly name: string; readonly about: string }[];
  pathsOf(finding: Finding): FindingPaths;
  /** Returns the path of the page of a run that was inconclusive for this reason. */
  unjudgedPageOf?(reason: string): string | undefined;
  /** How the search was started, for the command that continues it. */
  readonly again?: Again;
}

const STORY_WIDTH = 100;

/** @param corpus - The results of the corpus, before the search. */
export function makeScenario(result: CampaignResult, facts: ScenarioFacts, corpus?: CorpusSummary): Scenario {
  const { name, target, cluster, budget, file } = facts;
  const leftOut = leftOutOf(
    result,
    (finding) => facts.pathsOf(finding).counterexample ?? undefined,
    corpus,
    facts.again,
  );
  return {
    name,
    target,
    cluster,
    seed: result.seed,
    budget,
    file,
    outcome: result.outcome,
    runs: result.runs,
    verified: result.verified,
    elapsedMs: Math.round(result.elapsedMs),
    contention: { ...result.contention },
    properties: facts.properties.map(({ name, about }) => {
      const tally = result.perProperty[name] ?? { holds: 0, violated: 0, inconclusive: 0, vacuous: false };
      return { name, about, ...tally };
    }),
    findings: result.findings.map((finding) => reported(finding, facts.pathsOf(finding))),
    kept: (corpus?.entries ?? []).map(keptFinding),
    inconclusive: {
      count: result.inconclusive.count,
      reasons: Object.entries(result.inconclusive.reasons)
        .map(([why, count]) => {
          const page = facts.unjudgedPageOf?.(why);
          return { why, count, ...given({ page }) };
        })
        .sort((a, b) => b.count - a.count),
    },
    warnings: result.warnings,
    ...(result.printed === undefined || !hasNoVerdict(result.outcome) ? {} : { printed: result.printed }),
    ...(result.remarks === undefined ? {} : { remarks: remarksOf(result.remarks) }),
    ...(isStoppedEarly(result) ? { stoppedEarly: true as const } : {}),
    ...(leftOut.length === 0 ? {} : { leftOut }),
    waived: (result.waived ?? []).map(summariseWaiver),
    ...given({ soak: result.soak }),
  };
}

/** Outcomes from the worst to the best. */
const BY_WEIGHT: readonly CampaignOutcome[] = ['violated', 'interrupted', 'inconclusive', 'vacuous', 'holds'];

/** Combines scenarios, and validates the result: a mismatch with the schema is a bug of the harness. */
export function makeRun(scenarios: readonly Scenario[], madeWith: RunDocument['madeWith']): RunDocument {
  const outcome = BY_WEIGHT.find((one) => scenarios.some((scenario) => scenario.outcome === one)) ?? 'inconclusive';
  const run: RunDocument = { version: RUN_VERSION, kind: 'run', madeWith, outcome, scenarios };
  const { success, error } = runSchema.safeParse(run);
  if (!success) throw new InvariantError(`a run document fits its schema: ${error.message}`);
  return run;
}

function keptFinding(entry: CorpusSummaryEntry): KeptFinding {
  const { name, property, sentence, state, outcome, regression, reason, detail } = entry;
  const about = [`${state}, ${outcome}`, reason, detail ?? ''].filter((part) => part !== '').join('; ');
  return { name, property, sentence, state, outcome, regression, result: keptResult(entry), about };
}

function keptResult(entry: CorpusSummaryEntry): KeptFinding['result'] {
  if (isKeptFailing(entry)) return 'failed';
  if (saysNothing(entry)) return 'silent';
  return entry.outcome === 'holds' ? 'passed' : 'aside';
}

function reported(finding: Finding, paths: FindingPaths): ReportedFinding {
  const { violation, stats, onBase, seen, counterexample } = finding;
  const { confirmed } = counterexample;
  const { signature } = violation;
  const story = tellStory(finding);
  const replay =
    paths.counterexample === null
      ? 'not possible, the counterexample could not be written'
      : `npx stalemate replay ${quoted(paths.counterexample)}`;
  return {
    stem: fileStem(violation),
    signature: signatureText(signature),
    title: story.title,
    sentence: violation.sentence,
    ...becauseOf(violation, stats),
    ...shownSignature(signature),
    grade: stats.grade,
    fails: failsRun(finding),
    ...given({ onBase, confirmed }),
    tried: triedText(stats, story),
    story: renderStory(story, { width: STORY_WIDTH, color: false, replay }),
    sequence: sequenceOf(story),
    reproduced: stats.reproduced,
    count: stats.count,
    ...given({ seen }),
    ...paths,
  };
}
