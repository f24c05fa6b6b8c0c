/**
 * The run document: what a whole run came to, as data. The one contract between campaigns and everything that reports them: the page
 * of a run, JUnit, annotations, job summaries, JSON lines, SARIF.
 *
 * Owns: the nouns. Does not own: how they are made (`make-document.ts`) and checked (`document-schema.ts`). Holds no secret. Changing
 * the meaning of a field is a new version.
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
  /** The worst of all scenarios. */
  readonly outcome: CampaignOutcome;
  readonly scenarios: readonly Scenario[];
}

/** One target with one sample, searched once. */
export interface Scenario {
  /** `stalemate.target.ts with Widget/example`. */
  readonly name: string;
  readonly target: string;
  readonly cluster: string;
  readonly seed: number;
  readonly budget: string;
  /** The file of annotations, the controller's or its configuration: relative to the root of the repository if the CI provides it, else to
   * the working directory. */
  readonly file: string | null;
  readonly outcome: CampaignOutcome;
  readonly runs: number;
  /** Runs made twice with byte-identical histories. */
  readonly verified: number;
  readonly elapsedMs: number;
  readonly contention: { readonly [counter: string]: number };
  readonly properties: readonly PropertyLine[];
  readonly findings: readonly ReportedFinding[];
  /** The corpus, replayed before the search. */
  readonly kept: readonly KeptFinding[];
  readonly inconclusive: {
    readonly count: number;
    /** The most frequent first; some have the page of a run. */
    readonly reasons: readonly { readonly why: string; readonly count: number; readonly page?: string }[];
  };
  readonly warnings: readonly string[];
  /** The last output of the target; absent if there is a verdict. */
  readonly printed?: readonly string[];
  /** Warnings of properties, which do not fail the run; absent if there are none. */
  readonly remarks?: readonly RemarkLine[];
  /** The search did not finish: it was interrupted, or failed. Absent if it finished. */
  readonly stoppedEarly?: true;
  /** What was left out for lack of time; absent if nothing was. */
  readonly leftOut?: readonly LeftOutLine[];
  /** Waivers of the configuration, and how many violations each covered. */
  readonly waived: readonly SummaryWaiver[];
  /** The sum of many campaigns. */
  readonly soak?: SoakFacts;
}

export interface PropertyLine extends PropertyTally {
  readonly name: string;
  /** The claim in one sentence. */
  readonly about: string;
}

export interface ReportedFinding extends Because {
  /** `lost-update-9669dc`: the number is the same for the same cause, wherever it is found. */
  readonly stem: string;
  readonly signature: string;
  readonly title: string;
  readonly sentence: string;
  readonly property: string;
  readonly class: string;
  readonly resource: string;
  readonly field: string;
  readonly grade: Grade;
  /** False if it is only reported: pathological, pre-existing, or not reproduced on a real server. */
  readonly fails: boolean;
  /** If there is a base build: a finding that fails there too is not new. */
  readonly onBase?: OnBase;
  /** Whether it reproduced on a real API server. */
  readonly confirmed?: Confirmation;
  /** `93→6 steps · 24→2 actors · …`. */
  readonly tried: string;
  /** The story as the terminal shows it, 100 columns wide, without colour. */
  readonly story: string;
  /** The same as a Mermaid sequence diagram. */
  readonly sequence: string;
  readonly reproduced: Reproduced;
  /** Runs of the campaign that showed this cause. */
  readonly count: number;
  /** Of a soak: when it occurred for the first and for the last time. */
  readonly seen?: SeenTimes;
  /** Paths from the working directory; `null` for what could not be written. */
  readonly counterexample: string | null;
  readonly record: string | null;
  readonly page: string | null;
}

/** A finding of the corpus, as it is today. */
export interface KeptFinding {
  readonly name: string;
  readonly property: string;
  readonly sentence: string;
  readonly state: CorpusState;
  readonly outcome: RevisitOutcome;
  /** Fixed once, and back. */
  readonly regression: boolean;
  /** `failed` and `silent` are not green; `aside` is reported only: in quarantine, of another target, not reached. */
  readonly result: 'passed' | 'failed' | 'silent' | 'aside';
  /** Why it is in that state, and the result now. */
  readonly about: string;
}

/** Why a finding fails nothing. */
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

/** Whether anything was found that was there before the change. */
function hasOld({ findings }: Scenario): boolean {
  return findings.some(({ onBase }) => onBase === 'fails');
}

/** The finding that a property was violated by where none is reported of the property itself: what broke it is another one's cause. */
export function symptomOf({ name }: Pick<PropertyLine, 'name'>, scenario: Scenario): ReportedFinding | undefined {
  const { findings } = scenario;
  if (findings.some((finding) => finding.fails && finding.property === name)) return undefined;
  return failing(scenario).find(({ symptoms = [] }) => symptoms.some(({ property }) => property === name));
}

/** What failed a scenario. */
export function failing(scenario: Scenario): readonly ReportedFinding[] {
  return scenario.findings.filter(({ fails }) => fails);
}

/** Whether any run of the campaign could have broken the claim. */
export function wasTested({ holds, violated, inconclusive, vacuous, untested }: PropertyLine): boolean {
  return !vacuous && untested !== true && holds + violated + inconclusive > 0;
}

/** Kept findings that fail a scenario. */
export function keptFailing({ kept }: Scenario): readonly KeptFinding[] {
  return kept.filter(({ result }) => result === 'failed');
}

/** The command that replays a kept finding. */
export function keptCommand({ name }: KeptFinding): string {
  return `npx stalemate corpus run ${quoted(name)}`;
}

/** `2 findings, 1 regression`, and whether the search was stopped early; undefined where nothing failed. */
export function failureText(scenarios: readonly Scenario[]): string | undefined {
  const kept = scenarios.flatMap(keptFailing);
  const regressions = kept.filter(({ regression }) => regression).length;
  const parts = [
    [scenarios.flatMap(failing).length, 'finding'],
    [regressions, 'regression'],
    [kept.length - regressions, 'known failure'],
  ] as const;
  const said = parts.filter(([count]) => count > 0).map(([count, noun]) => countText(count, noun));
  if (said.length === 0) return undefined;
  const stopped = scenarios.some(({ stoppedEarly }) => stoppedEarly === true) ? ['stopped early'] : [];
  return [...said, ...stopped].join(', ');
}

/** Why a scenario that found nothing is not green either; undefined where it is. */
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

/** Why a campaign says nothing where a real server showed none of its findings. */
export function notConfirmedText(findings: number): string {
  return findings === 1
    ? 'inconclusive: the only finding did not reproduce on a real API server'
    : `inconclusive: none of the ${findings} findings reproduced on a real API server`;
}

/** Green only for what was tried; a warning may say that most was not. */
export function holdsText(scenarios: readonly Scenario[]): string {
  if (scenarios.some(hasOld)) return 'nothing new fails';
  const tested = scenarios.every(({ properties }) => properties.every(wasTested));
  const warnings = scenarios.flatMap((scenario) => scenario.warnings).length;
  const text = tested ? 'all properties hold' : 'all properties hold that were put to the test';
  return warnings === 0 ? text : `${text}, but with ${countText(warnings, 'warning')}`;
}

/** The command that replays a finding; undefined where there is nothing to replay. */
export function replayCommand({ counterexample }: ReportedFinding): string | undefined {
  return counterexample === null ? undefined : `npx stalemate replay ${quoted(counterexample)}`;
}
