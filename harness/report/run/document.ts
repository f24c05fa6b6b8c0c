/**
 * The run document: the results of a whole run, as data. It is the only contract between campaigns and everything that reports
 * them: the page of a run, JUnit, annotations, job summaries, JSON lines, SARIF.
 *
 * Owns: the types. Does not own: how they are made (`make-document.ts`) and validated (`document-schema.ts`). Contains no
 * secrets. A field that changes its meaning requires a new version.
 */
import { confirmationText, isNotConfirmed, type Confirmation, type Reproduced } from '../../model/confirmation.ts';
import type { CampaignOutcome, Grade, OnBase, PropertyTally } from '../../model/finding.ts';
import type { CorpusState, RevisitOutcome } from '../../model/corpus.ts';
import type { SoakFacts } from '../../model/soak-facts.ts';
import type { LeftOutLine } from '../left-out.ts';
import type { RemarkLine } from '../remarks.ts';
import { quoted } from '../shell-word.ts';
import type { SeenTimes } from '../soak/text.ts';
import { countText } from '../count-text.ts';
import type { SummaryWaiver } from '../summary.ts';
import { untriedText, type Because } from '../symptoms.ts';

export const RUN_VERSION = 1;

export interface RunDocument {
  readonly version: typeof RUN_VERSION;
  readonly kind: 'run';
  readonly madeWith: { readonly stalemate: string; readonly node: string };
  /** The worst outcome of all scenarios. */
  readonly outcome: CampaignOutcome;
  readonly scenarios: readonly Scenario[];
}

/** One target with one sample, searched once. */
export interface Scenario {
  /** For example `stalemate.target.ts with Widget/example`. */
  readonly name: string;
  readonly target: string;
  readonly cluster: string;
  readonly seed: number;
  readonly budget: string;
  /**
   * The file for annotations, the controller's or its configuration: relative to the root of the repository if the CI provides
   * it, else to the working directory.
   */
  readonly file: string | null;
  readonly outcome: CampaignOutcome;
  readonly runs: number;
  /** Number of runs that were repeated with byte-identical histories. */
  readonly verified: number;
  readonly elapsedMs: number;
  readonly contention: { readonly [counter: string]: number };
  readonly properties: readonly PropertyLine[];
  readonly findings: readonly ReportedFinding[];
  /** The findings of the corpus, replayed before the search. */
  readonly kept: readonly KeptFinding[];
  readonly inconclusive: {
    readonly count: number;
    /** The reasons, most frequent first; some have the page of a run. */
    readonly reasons: readonly { readonly why: string; readonly count: number; readonly page?: string }[];
  };
  readonly warnings: readonly string[];
  /** The last output of the target; absent if there is a verdict. */
  readonly printed?: readonly string[];
  /** Warnings of properties, which do not fail the run; absent if there are none. */
  readonly remarks?: readonly RemarkLine[];
  /** True if the search was interrupted or failed. Absent if it finished. */
  readonly stoppedEarly?: true;
  /** What was left out for lack of time; absent if nothing was. */
  readonly leftOut?: readonly LeftOutLine[];
  /** Waivers of the configuration, with the number of violations that each covered. */
  readonly waived: readonly SummaryWaiver[];
  /** The totals of many campaigns. */
  readonly soak?: SoakFacts;
}

export interface PropertyLine extends PropertyTally {
  readonly name: string;
  /** The claim in one sentence. */
  readonly about: string;
}

export interface ReportedFinding extends Because {
  /** For example `lost-update-9669dc`: the number is the same for the same cause, wherever it is found. */
  readonly stem: string;
  readonly signature: string;
  readonly title: string;
  readonly sentence: string;
  readonly property: string;
  readonly class: string;
  readonly resource: string;
  readonly field: string;
  readonly grade: Grade;
  /** False if the finding is only reported: pathological, pre-existing, or not reproduced on a real server. */
  readonly fails: boolean;
  /** Whether it fails with the base build too, and so is not new; absent without a base build. */
  readonly onBase?: OnBase;
  /** Whether it reproduced on a real API server. */
  readonly confirmed?: Confirmation;
  /** For example `93→6 steps · 24→2 actors · …`. */
  readonly tried: string;
  /** The story as in a terminal, 100 columns wide, without colour. */
  readonly story: string;
  /** The story as a Mermaid sequence diagram. */
  readonly sequence: string;
  readonly reproduced: Reproduced;
  /** Number of runs of the campaign that showed this cause. */
  readonly count: number;
  /** For a soak: when it first and last occurred. */
  readonly seen?: SeenTimes;
  /** Paths relative to the working directory; `null` for a file that could not be written. */
  readonly counterexample: string | null;
  readonly record: string | null;
  readonly page: string | null;
}

/** A finding of the corpus, and its result in this run. */
export interface KeptFinding {
  readonly name: string;
  readonly property: string;
  readonly sentence: string;
  readonly state: CorpusState;
  readonly outcome: RevisitOutcome;
  /** True if it had been fixed, and fails again. */
  readonly regression: boolean;
  /** `failed` and `silent` are not green; `aside` is only reported: in quarantine, of another target, or not reached. */
  readonly result: 'passed' | 'failed' | 'silent' | 'aside';
  /** The reason for its state in the corpus, and its result now. */
  readonly about: string;
}

/** Returns why a finding does not fail the run; undefined if it does. */
export function asideText(finding: ReportedFinding): string | undefined {
  const why = whyAside(finding);
  const untried = untriedText(finding);
  return why === undefined || untried === undefined ? why : `${why}; ${untried}`;
}

function whyAside({ fails, onBase, grade, confirmed }: ReportedFinding): string | undefined {
  if (fails) return undefined;
  if (onBase === 'fails') return 'pre-existing: it fails on the base build too';
  if (grade === 'pathological' || confirmed === undefined) return 'pathological: reported only';
  return `${confirmationText({ confirmed }) ?? ''}; reported only, does not fail the run`;
}

/** Reports whether any finding existed before the change. */
function hasOld({ findings }: Scenario): boolean {
  return findings.some(({ onBase }) => onBase === 'fails');
}

/**
 * Returns the finding that explains a violated property without a finding of its own: the violation was a symptom of another
 * property's cause.
 */
export function symptomOf({ name }: Pick<PropertyLine, 'name'>, scenario: Scenario): ReportedFinding | undefined {
  const { findings } = scenario;
  if (findings.some((finding) => finding.fails && finding.property === name)) return undefined;
  return failing(scenario).find(({ symptoms = [] }) => symptoms.some(({ property }) => property === name));
}

/** Returns the findings that fail a scenario. */
export function failing(scenario: Scenario): readonly ReportedFinding[] {
  return scenario.findings.filter(({ fails }) => fails);
}

/** Reports whether any run of the campaign could have violated the claim. */
export function wasTested({ holds, violated, inconclusive, vacuous, untested }: PropertyLine): boolean {
  return !vacuous && untested !== true && holds + violated + inconclusive > 0;
}

/** Returns the findings of the corpus that fail a scenario. */
export function keptFailing({ kept }: Scenario): readonly KeptFinding[] {
  return kept.filter(({ result }) => result === 'failed');
}

/** Returns the command that replays a finding of the corpus. */
export function keptCommand({ name }: KeptFinding): string {
  return `npx stalemate corpus run ${quoted(name)}`;
}

/** Returns what failed, such as `2 findings, 1 regression`, with a note if the search stopped early; undefined if nothing failed. */
export function failureText(scenarios: readonly Scenario[]): string | undefined {
  const kept = scenarios.flatMap(keptFailing);
  const regressions = kept.filter(({ regression }) => regression).length;
  const parts = [
    [scenarios.flatMap(failing).length, 'finding'],
    [regressions, 'regression'],
    [kept.length - regressions, 'known failure'],
  ] as const;
  const counts = parts.filter(([count]) => count > 0).map(([count, noun]) => countText(count, noun));
  if (counts.length === 0) return undefined;
  const stopped = scenarios.some(({ stoppedEarly }) => stoppedEarly === true) ? ['stopped early'] : [];
  return [...counts, ...stopped].join(', ');
}

/** Returns why a scenario without findings is still not green; undefined if it is. */
export function notGreen({
  outcome,
  inconclusive,
  runs,
  properties,
  kept,
  soak,
  findings,
}: Scenario): string | undefined {
  switch (outcome) {
    case 'holds':
    case 'violated':
      return undefined;
    case 'interrupted':
      return soak === undefined ? `stopped early, after ${runs} runs` : `not finished: ${soak.unfinished.join('; ')}`;
    case 'inconclusive': {
      const silent = kept.filter(({ result }) => result === 'silent').map(({ name }) => name);
      if (silent.length > 0) return `inconclusive for ${silent.join(', ')} of the corpus`;
      const doubtful = findings.filter(isNotConfirmed).length;
      if (inconclusive.count === 0 && doubtful > 0) return notConfirmedText(doubtful);
      const [reason] = inconclusive.reasons;
      const why = reason === undefined ? '' : `: ${reason.why}`;
      return `inconclusive in ${inconclusive.count} of ${runs} runs${why}`;
    }
    case 'vacuous': {
      const untested = properties.filter(({ vacuous }) => vacuous).map(({ name }) => name);
      return untested.length === 0
        ? 'vacuous: nothing contended'
        : `vacuous: no run put ${untested.join(', ')} to the test`;
    }
    default:
      return outcome satisfies never;
  }
}

/** Returns why a campaign is inconclusive if none of its findings reproduced on a real server. */
export function notConfirmedText(findings: number): string {
  return findings === 1
    ? 'inconclusive: the only finding did not reproduce on a real API server'
    : `inconclusive: none of the ${findings} findings reproduced on a real API server`;
}

/**
 * Returns the headline of a green run. It only covers the properties that were exercised; a warning may add that most were not.
 */
export function holdsText(scenarios: readonly Scenario[]): string {
  if (scenarios.some(hasOld)) return 'nothing new fails';
  const tested = scenarios.every(({ properties }) => properties.every(wasTested));
  const warnings = scenarios.flatMap((scenario) => scenario.warnings).length;
  const findings = scenarios.flatMap((scenario) => scenario.findings).length;
  const text = tested ? 'all properties hold' : 'all properties hold that were put to the test';
  const besides = [
    ...(warnings === 0 ? [] : [`with ${countText(warnings, 'warning')}`]),
    // Any other finding of a green run needs conditions that no cluster should have.
    ...(findings === 0 ? [] : [`with ${countText(findings, 'finding')} under pathological conditions only`]),
  ];
  return besides.length === 0 ? text : `${text}, but ${besides.join(' and ')}`;
}

/** Returns the command that replays a finding; undefined if there is no counterexample. */
export function replayCommand({ counterexample }: ReportedFinding): string | undefined {
  return counterexample === null ? undefined : `npx stalemate replay ${quoted(counterexample)}`;
}
