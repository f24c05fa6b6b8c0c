/**
 * Confirms findings of the embedded server on a real one.
 *
 * Owns: whether, where, how often and for how long findings are tried. Confirmation follows the search. A finding that does not
 * reproduce on a real server no longer fails the run; if none does, the run is inconclusive. Start at {@link planConfirmation}.
 */
import { realNow } from '../determinism/real-time.ts';
import { findControlPlane } from '../clusters/control-plane.ts';
import { findEngine, nodeImage } from '../clusters/kind/engine.ts';
import type { RunConfig } from '../execution/config/run-config.ts';
import { moduleAsProcess } from '../execution/config/target-options.ts';
import { storedTarget } from '../execution/search/counterexample.ts';
import { confirmationText, type ConfirmChoice, type ConfirmOn } from '../model/confirmation.ts';
import { corpusEntryOf, type CorpusEntry, type Revisited } from '../model/corpus.ts';
import { signatureText } from '../model/signature.ts';
import { HarnessError } from '../model/errors.ts';
import { given } from '../model/given.ts';
import { addedUp, type LeftOut } from '../model/left-out.ts';
import { outcomeOf } from '../model/outcome.ts';
import type { CampaignResult, Finding } from '../model/finding.ts';
import { countText } from '../report/count-text.ts';
import { fileStem } from '../report/title.ts';
import { usage } from './arguments.ts';
import type { BaseContext } from './base-build.ts';
import { revisitConfigured } from './library.ts';

/** Number of runs of each finding. */
const TIMES = 5;
/**
 * Minimum length of the search. After a shorter one, confirmation is skipped by default: a real server takes seconds to start,
 * and undisturbed runs must be measured again.
 */
const SEARCHED_MIN_MS = 10_000;
/** Maximum time for all findings by default; confirmation also takes no longer than the search. */
const UNASKED_MAX_MS = 60_000;
/**
 * Time for each finding if the user requested confirmation; unused time is left for the following findings. An idle machine needs about half
 * a minute; on a busy one, the six servers of one confirmation may need more than two.
 */
const ASKED_MS = 300_000;
/**
 * Minimum time for one finding: a run of a real operator, with the start of the server, may need this much. If several findings shared less
 * time, none of them would get a result.
 */
const SHARE_MIN_MS = 40_000;

const ELSEWHERE = '"setup-envtest use" fetches them, --confirm kind uses a kind cluster, --confirm none skips this';

/** Where findings will be confirmed, and whether the user requested it; or why they will not. */
export type ConfirmPlan = { readonly on: ConfirmOn; readonly isAsked: boolean } | { readonly why: string | undefined };

/**
 * Plans before the search, so that a missing server is reported at once. If the search does not run on the embedded server, the configured
 * choice is ignored, but a flag other than `none` is an error.
 *
 * @param flag - Takes precedence over the configuration.
 * @throws {USAGE} {CLUSTER_UNAVAILABLE} if confirmation was requested and is impossible.
 */
export async function planConfirmation(
  flag: ConfirmChoice | undefined,
  config: Pick<RunConfig, 'cluster' | 'confirm' | 'kind'>,
): Promise<ConfirmPlan> {
  const { cluster } = config;
  const choice = flag ?? config.confirm ?? undefined;
  if (choice === 'none' || (flag === undefined && cluster !== 'embedded')) return { why: undefined };
  if (flag !== undefined && cluster !== 'embedded')
    throw usage(
      `got --confirm ${flag} with cluster "${cluster}", expected it with findings of the embedded one: what is found on a real server needs no second one; leave one of the two out`,
    );
  const isAsked = choice !== undefined;
  const on = choice ?? 'envtest';
  try {
    if (on === 'kind') await nodeImage(await findEngine(), config.kind);
    else findControlPlane();
  } catch (error) {
    if (isAsked || !(error instanceof HarnessError)) throw error;
    return { why: `there is no etcd and kube-apiserver here; ${ELSEWHERE}` };
  }
  return { on, isAsked };
}

/** Minimum time for confirmation: a real server needs at least this long to start. */
const CONFIRM_MIN_MS = 3_000;

/** Returns how long confirmation may take in total, given the remaining `leftMs` of the budget; or why it is skipped. */
export function confirmBudget(
  { isAsked }: { readonly isAsked: boolean },
  { elapsedMs, findings }: Pick<CampaignResult, 'elapsedMs' | 'findings'>,
  leftMs: number = Number.POSITIVE_INFINITY,
): { readonly timeMs: number } | { readonly why: string; readonly isLeft?: true } {
  if (isAsked) return { timeMs: ASKED_MS * findings.length };
  if (elapsedMs >= SEARCHED_MIN_MS) {
    const timeMs = Math.min(elapsedMs, UNASKED_MAX_MS, leftMs);
    if (timeMs >= CONFIRM_MIN_MS) return { timeMs };
    return { why: 'the budget was used up before a real server could be tried', isLeft: true };
  }
  const took = (elapsedMs / 1000).toFixed(1);
  return {
    why: `it was found in ${took} s, sooner than a real server would have started; --confirm envtest tries it on one`,
  };
}

export interface ConfirmContext extends Pick<BaseContext, 'print' | 'signal' | 'onCluster'> {
  /** Called for each finding with a result. */
  readonly confirmed: (finding: Finding) => void;
  /** Real time at which confirmation ends, unless the user requested it. */
  readonly until?: number;
}

/**
 * Adds results of a real server to the findings of a campaign, and prints each one immediately; findings for which the time is too short
 * are unchanged.
 */
export async function confirmRun(
  result: CampaignResult,
  plan: ConfirmPlan,
  config: RunConfig,
  { confirmed, until: end = Number.POSITIVE_INFINITY, signal, print, onCluster }: ConfirmContext,
): Promise<CampaignResult> {
  const { findings } = result;
  if (findings.length === 0 || signal?.aborted === true) return result;
  const budget = 'why' in plan ? plan : confirmBudget(plan, result, end - realNow());
  if ('why' in plan || 'why' in budget) {
    if ('why' in budget && budget.why !== undefined) print(`embedded only: ${budget.why}\n`);
    return 'isLeft' in budget ? withLeft(result, 'confirm', findings) : result;
  }
  const { on } = plan;
  const { timeMs } = budget;
  const skipText = plan.isAsked ? '' : ' (--confirm none skips this)';
  print(`on ${on}, for at most ${Math.round(timeMs / 1000)} s: ${countText(findings.length, 'finding')}${skipText}\n`);
  const answers = new Map<Finding, Answer>();
  const answered = (finding: Finding, answer: Answer): void => {
    answers.set(finding, answer);
    print(`${fileStem(finding.violation)} ${answer.text}\n`);
    if (answer.finding !== finding) confirmed(answer.finding);
  };
  const byName = new Map(findings.map((finding, at) => [String(at), finding]));
  const entries = [...byName].map(([name, finding]) => ({ name, entry: entryOf(finding, config) }));
  try {
    await revisitConfigured(entries, onServer(config, on), {
      ...given({ signal, onCluster }),
      ...{ timeMs, times: TIMES, counts: true },
      leastMs: SHARE_MIN_MS,
      onRevisited: (revisited) => {
        const finding = byName.get(revisited.name);
        if (finding !== undefined) answered(finding, answerOf(finding, revisited, on));
      },
    });
    for (const finding of findings) if (!answers.has(finding)) answered(finding, { finding, text: TIME_WAS_UP });
  } catch (error) {
    // The error may be that the server did not start. The findings are reported anyway.
    print(`embedded only: ${whyText(error)}\n`);
  }
  const notTried = findings.filter((finding) => answers.get(finding)?.text === TIME_WAS_UP);
  const weighed = findings.map((finding) => answers.get(finding)?.finding ?? finding);
  const whole = { ...result, findings: weighed, outcome: outcomeOf(weighed, result.besides) };
  return withLeft(whole, 'confirm', notTried);
}

/** Adds findings to the result's list of work that was left out. */
export function withLeft(result: CampaignResult, what: LeftOut['what'], findings: readonly Finding[]): CampaignResult {
  if (findings.length === 0) return result;
  const left = findings.map(({ violation }) => ({ what, count: 1, signature: signatureText(violation.signature) }));
  return { ...result, leftOut: addedUp([...(result.leftOut ?? []), ...left]) };
}

/** Returns the error in one line: the server's output only matters to users who requested that server. */
function whyText(error: unknown): string {
  if (error instanceof HarnessError) return error.message.split('; its last words:', 1)[0] ?? error.message;
  const stack = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return `confirming failed, by a fault of stalemate itself; please report it:\n${stack}`;
}

interface Answer {
  /** The finding with its confirmation; the same finding without a result. */
  readonly finding: Finding;
  readonly text: string;
}

const TIME_WAS_UP = 'embedded only: the time was up before its runs had finished';

/**
 * Returns the finding as an entry of a corpus. A finding of a soak comes from a file that another user may have written, so the target of
 * the user's configuration is started, not the stored one.
 */
function entryOf({ counterexample }: Finding, config: RunConfig): CorpusEntry {
  return corpusEntryOf({ ...counterexample, target: storedTarget(config) }, { state: 'open', reason: '', since: '' });
}

/** Returns the configuration on a real server, where a module runs as a program. */
function onServer(config: RunConfig, cluster: ConfirmOn): RunConfig {
  const { target, settings } = config;
  return {
    ...config,
    cluster,
    ...(target === '' ? {} : { process: moduleAsProcess(target, settings.effects === true) }),
  };
}

function answerOf(finding: Finding, { outcome, k, n, server, detail }: Revisited, cluster: ConfirmOn): Answer {
  // The finding remains, whether or not it can be confirmed.
  if (n === 0) return { finding, text: `embedded only: ${detail ?? 'it could not be run'}` };
  const { counterexample } = finding;
  const confirmed = { cluster, server: server ?? cluster, reproduced: { k, n } };
  const why = outcome === 'unclear' && detail !== undefined ? `: ${detail}` : '';
  return {
    finding: { ...finding, counterexample: { ...counterexample, confirmed } },
    text: `${confirmationText({ confirmed }) ?? ''}${why}`,
  };
}
