/**
 * Findings of the embedded server, asked of a real one: does it happen there too?
 *
 * Owns: whether that is done, where, how often and for how long. It comes after the search. A finding that a real server never shows fails
 * no run any more; where all are such, the run is inconclusive. Start at {@link planConfirmation}.
 */
import { realNow } from '../determinism/real-time.ts';
import { findControlPlane } from '../clusters/control-plane.ts';
import { findEngine, nodeImage } from '../clusters/kind/engine.ts';
import type { RunConfig } from '../execution/config/run-config.ts';
import { storedTarget } from '../execution/search/counterexample.ts';
import { confirmationText, type ConfirmChoice, type ConfirmOn } from '../model/confirmation.ts';
import { signatureText } from '../model/signature.ts';
import { HarnessError } from '../model/errors.ts';
import { addedUp, type LeftOut } from '../model/left-out.ts';
import { outcomeOf } from '../model/outcome.ts';
import type { CampaignResult, Finding } from '../model/finding.ts';
import { countText } from '../report/count-text.ts';
import { fileStem } from '../report/title.ts';
import { usage } from './arguments.ts';
import { type BaseContext, replayLike, shareOf } from './base-build.ts';
import { replay, standOn, type ReplayContext } from './library.ts';

/** Runs of each finding. */
const TIMES = 5;
/** A real server takes seconds to start, and undisturbed runs are measured again: not worth the wait after a shorter search. */
const SEARCHED_MIN_MS = 10_000;
/** Without being asked: no longer than the search took, and no longer than this for all findings. */
const UNASKED_MAX_MS = 60_000;
/** Asked for: so long for each finding, and for those after it what it leaves. */
const ASKED_MS = 120_000;

/** A finding without an answer so shortly before the end had too little time. */
const TIME_UP_MS = 1_000;

const ELSEWHERE = '"setup-envtest use" fetches them, --confirm kind uses a kind cluster, --confirm none skips this';

/** Where findings are to be confirmed, and whether the user asked for that; or why they are not. */
export type ConfirmPlan = { readonly on: ConfirmOn; readonly isAsked: boolean } | { readonly why: string | undefined };

/**
 * Resolved before the search, so that a missing server is reported at once. The configuration speaks of
 * findings of the embedded server, should there be any; a flag is about this run.
 *
 * @param flag wins over the configuration.
 * @throws {USAGE} {CLUSTER_UNAVAILABLE} when it was asked for and cannot be.
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

/** In less than that a real server does not even start. */
const CONFIRM_MIN_MS = 3_000;

/** How long all of it may take, of the `leftMs` that the budget has left; or why it is left. */
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
  /** Hears of each that was asked about. */
  readonly confirmed: (finding: Finding) => void;
  /** Real time at which it ends, unless the user has asked for it. */
  readonly until?: number;
}

/** The campaign with what a real server says of its findings, printed as it comes; those that time was too short for stay as they are. */
export async function confirmRun(
  result: CampaignResult,
  plan: ConfirmPlan,
  config: RunConfig,
  { confirmed, until: end = Number.POSITIVE_INFINITY, ...manner }: ConfirmContext,
): Promise<CampaignResult> {
  const { findings } = result;
  const { signal, print } = manner;
  if (findings.length === 0 || signal?.aborted === true) return result;
  const budget = 'why' in plan ? plan : confirmBudget(plan, result, end - realNow());
  if ('why' in plan || 'why' in budget) {
    if ('why' in budget && budget.why !== undefined) print(`embedded only: ${budget.why}\n`);
    return 'isLeft' in budget ? withLeft(result, 'confirm', findings) : result;
  }
  const { on } = plan;
  const { timeMs } = budget;
  print(`on ${on}, for about ${Math.round(timeMs / 1000)} s: ${countText(findings.length, 'finding')}\n`);
  const asked: Finding[] = [];
  const notAsked: Finding[] = [];
  try {
    await standOn({ ...config, cluster: on }, manner, async (ready) => {
      const context = { ...replayLike(ready), ...manner };
      const until = realNow() + timeMs;
      for (const finding of findings) {
        const left = until - realNow();
        const isOver = left <= 0 || signal?.aborted === true;
        const answer = isOver
          ? { finding, text: 'embedded only: the time was up' }
          : await ask(finding, config, on, { ...context, timeMs: shareOf(left, findings.length - asked.length) });
        asked.push(answer.finding);
        print(`${fileStem(finding.violation)} ${answer.text}\n`);
        if (answer.finding !== finding) confirmed(answer.finding);
        else if (realNow() >= until - TIME_UP_MS) notAsked.push(finding);
      }
    });
  } catch (error) {
    // Of a server that does not come up, too: what was found stays found, and is reported.
    print(`embedded only: ${whyText(error)}\n`);
  }
  const weighed = findings.map((finding, index) => asked[index] ?? finding);
  const answered = { ...result, findings: weighed, outcome: outcomeOf(weighed, result.besides) };
  return withLeft(answered, 'confirm', notAsked);
}

/** A result that says which findings were not asked about. */
export function withLeft(result: CampaignResult, what: LeftOut['what'], findings: readonly Finding[]): CampaignResult {
  if (findings.length === 0) return result;
  const left = findings.map(({ violation }) => ({ what, count: 1, signature: signatureText(violation.signature) }));
  return { ...result, leftOut: addedUp([...(result.leftOut ?? []), ...left]) };
}

/** In a line: what a server wrote before it gave up is for those who asked for that server. */
function whyText(error: unknown): string {
  if (error instanceof HarnessError) return error.message.split('; its last words:', 1)[0] ?? error.message;
  const stack = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return `confirming failed, by a fault of stalemate itself; please report it:\n${stack}`;
}

async function ask(
  finding: Finding,
  config: RunConfig,
  cluster: ConfirmOn,
  context: ReplayContext,
): Promise<{ readonly finding: Finding; readonly text: string }> {
  const { counterexample } = finding;
  try {
    const {
      reproduced,
      server = cluster,
      inconclusive,
      // Lines of a soak are read from a file: what is started is what the user has configured.
    } = await replay(
      { ...counterexample, target: storedTarget(config) },
      {
        ...context,
        cluster,
        times: TIMES,
      },
    );
    const confirmed = { cluster, server, reproduced };
    const why = reproduced.k > 0 || inconclusive === undefined ? '' : `: ${inconclusive}`;
    return {
      finding: { ...finding, counterexample: { ...counterexample, confirmed } },
      text: `${confirmationText({ confirmed }) ?? ''}${why}`,
    };
  } catch (error) {
    // A finding is one whether or not it can be asked about.
    return { finding, text: `embedded only: ${whyText(error)}` };
  }
}
