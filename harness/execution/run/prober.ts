/**
 * Makes the probes: additional runs that properties request before they report a violation.
 *
 * Owns: how each probe is run, and the cache of results. Does not own: when a probe is needed (the properties) or the phases of a run
 * (`trial.ts`).
 */
import type { KubeObject } from 'stalemate-apiserver/objects/object';
import { realNow } from '../../determinism/real-time.ts';
import { assertNever } from '../../model/errors.ts';
import { phaseStartMs, type History } from '../../model/history.ts';
import { roleOf } from '../../model/actor.ts';
import type { ExpectedState, OtherOutcome, ProbeRequest, ProbeResult } from '../../model/probe.ts';
import type { Reference } from '../../model/reference.ts';
import { EMPTY_SCHEDULE, scheduleSize } from '../../model/schedule.ts';
import { canonicalJson } from '../../model/spec-hash.ts';
import type { Trial } from '../../model/trial.ts';
import type { Program, Workload } from '../../model/workload.ts';
import { lastProbe } from '../../oracle/last-probe.ts';
import { endMs } from '../../oracle/rest.ts';
import { kindsUndisturbed } from '../../oracle/path-dependence.ts';
import { freshWrites } from './fresh-writes.ts';
import { foreignInput, inputWithoutReplacements } from './foreign-input.ts';
import type { Live } from './live.ts';
import { deletionOf, peersOf } from './peers.ts';
import { leftAlone, outcomeOf, revertedWhen, settled, settleMs, stateOf, writesAtRest } from './probe-results.ts';
import { stepsInOrder } from './steps-in-order.ts';
import type { TrialVariant } from './trial-options.ts';
import { isUp } from './undisturbed-trouble.ts';

/** The budget, in ms of real time, for waiting for runs that are still open. */
export interface Patience {
  readonly leftMs: () => number;
  readonly spend: (ms: number) => void;
}

const ENDLESS: Patience = { leftMs: () => Number.POSITIVE_INFINITY, spend: () => {} };

/** Runs a trial with some of its options replaced; the runner supplies the rest. */
export type RunVariant = (trial: Trial, variant: TrialVariant) => Promise<History>;

/** Contention phases shorter than this, in ms, are treated as if they took no time. */
const LIVED_MIN_MS = 30_000;
const MINUTE_MS = 60_000;
/** The seed of fresh copies, which no trial uses. */
const FRESH_SEED = 0x5eed_f00d;
const OTHER_SEEDS: readonly number[] = [0x5eed_f00e, 0x5eed_f00f];
const ORDERED_SEED = 0x5eed_f010;
/** The minimum additional run time of other fresh copies, in ms. */
const LATER_MS = 120_000;
/** The windows to try on an open run, in ms, before the full window that was requested. */
const LIVE_WINDOWS_MS: readonly number[] = [1_500, 8_000, 60_000];
/** The number of results at which the cache is cleared. */
const KNOWN_MAX = 20_000;

/** Caches results by key; callers with the same key share one computation. */
class Cache<T> {
  readonly #known = new Map<string, T>();
  readonly #underWay = new Map<string, Promise<T>>();

  get(key: string): T | undefined {
    return this.#known.get(key);
  }

  set(key: string, result: T): void {
    if (this.#known.size >= KNOWN_MAX) this.#known.clear();
    this.#known.set(key, result);
  }

  forget(key: string): void {
    this.#known.delete(key);
  }

  async once(key: string, make: () => Promise<T>): Promise<T> {
    const known = this.#known.get(key) ?? this.#underWay.get(key);
    if (known !== undefined) return known;
    const asked = make()
      .then((result) => {
        this.set(key, result);
        return result;
      })
      .finally(() => this.#underWay.delete(key));
    this.#underWay.set(key, asked);
    return asked;
  }
}

/** What a search has learned about a target from its probes; shared by all lanes. */
class Evidence {
  readonly results: Cache<ProbeResult> = new Cache();
  /** The outcomes of undisturbed runs of a target that is a program, by workload. */
  readonly outcomes: Cache<OtherOutcome> = new Cache();
  /** The kinds of differences from the expected state in which undisturbed runs of programs have ended. */
  readonly undisturbed: Set<string> = new Set();
  /** The kinds of differences that were errors in runs of programs, after all probes. */
  readonly violated: Set<string> = new Set();
}

export class Prober {
  readonly #run: RunVariant;
  readonly #base: Workload;
  readonly #reference: Reference;
  readonly #patience: Patience;
  readonly #evidence: Evidence;
  /** The number of runs made so far. */
  runs = 0;
  #isForFirstRuns = false;

  constructor(
    run: RunVariant,
    base: Workload,
    reference: Reference,
    patience: Patience = ENDLESS,
    evidence: Evidence = new Evidence(),
  ) {
    this.#patience = patience;
    this.#evidence = evidence;
    this.#run = run;
    this.#base = base;
    this.#reference = reference;
  }

  /** Returns a prober that makes its runs through another runner and shares this one's results. */
  elsewhere(run: RunVariant): Prober {
    return new Prober(run, this.#base, this.#reference, this.#patience, this.#evidence);
  }

  /**
   * Returns a prober for the first runs of trials whose runs are expensive. It does not repeat a probe that depends on the workload alone,
   * and makes none for violations that earlier runs have shown; these are only counted. A reported violation has been judged in full when
   * it was reproduced.
   */
  forFirstRuns(): Prober {
    const prober = this.elsewhere(this.#run);
    prober.#isForFirstRuns = true;
    return prober;
  }

  /** Records what a judged run shows about later runs, for {@link forFirstRuns}. */
  learn(
    trial: Trial,
    { history, convicted = [] }: { readonly history: History; readonly convicted?: readonly string[] },
  ): void {
    for (const kind of convicted) this.#evidence.violated.add(kind);
    const expected = lastProbe(history, 'expected-state');
    if (trial.search !== undefined || scheduleSize(trial.schedule) > 0 || expected === undefined) return;
    const outcome = outcomeOf(history, expected);
    if (outcome.settled) this.#evidence.outcomes.set(workloadKey('undisturbed', trial), outcome);
  }

  /**
   * Returns results that are available without a run: the expected state of a foreign input that was probed before, and the kinds of
   * differences that other runs of programs have shown.
   */
  known(history: History): readonly ProbeResult[] {
    const shown: ProbeResult[] = [];
    const { undisturbed, violated } = this.#evidence;
    if (undisturbed.size > 0) shown.push({ probe: 'known-undisturbed', kinds: [...undisturbed].toSorted() });
    if (this.#isForFirstRuns && violated.size > 0)
      shown.push({ probe: 'known-violated', kinds: [...violated].toSorted() });
    if (history.settlement.result !== 'quiescent') return shown;
    const expected = this.#evidence.results.get(expectedKey(history, foreignInput(history, this.#reference)));
    return expected === undefined ? shown : [...shown, expected];
  }

  /**
   * Makes a probe.
   *
   * @param live The run in question, if it is still open; it is then examined directly instead of being run again.
   */
  async probe(request: ProbeRequest, trial: Trial, history: History, live?: Live): Promise<ProbeResult> {
    switch (request.probe) {
      case 'expected-state':
        return this.#expectedState(history);
      case 'other-copies':
        return this.#otherCopies(history);
      case 'fresh-incarnation':
        return freshWrites(
          live === undefined ? await this.#variant(trial, { freshIncarnation: true }) : await live.takeOver(),
        );
      case 'drift':
        return this.#driftTest(request, trial);
      case 'undisturbed': {
        const outcome = await this.#ofWorkload(request.probe, trial, () =>
          this.#outcome(quietTrial(trial.workload), {}),
        );
        // Only runs of programs share this evidence. A module's run is judged without evidence from other runs: that costs little, and the
        // result does not depend on the run's position in the search.
        if (live !== undefined && outcome.settled)
          for (const kind of kindsUndisturbed(history, outcome)) this.#evidence.undisturbed.add(kind);
        return { probe: 'undisturbed', ...outcome };
      }
      case 'step-by-step': {
        const { programs, ...workload } = trial.workload;
        const standing = programs.filter((program) => program.standing === true);
        const quiet = quietTrial({ ...workload, start: 'settled', programs: standing });
        const passing = programs.filter((program) => program.standing !== true);
        const afterRest = stepsInOrder(history, { ...trial.workload, programs: passing });
        const outcome = await this.#ofWorkload(request.probe, trial, () => this.#outcome(quiet, { afterRest }));
        return { probe: 'step-by-step', ...outcome };
      }
      case 'without-crashes':
        return { probe: 'without-crashes', ...(await this.#outcome(trial, { withoutCrashes: true })) };
      case 'withheld-echo': {
        const again = await this.#variant(trial, { withholdEcho: true });
        return {
          probe: 'withheld-echo',
          writesAtRest: writesAtRest(again),
          windowMs: endMs(again) - settleMs(again),
        };
      }
      case 'extended-settle': {
        if (live !== undefined) return this.#settleOn(request.windowMs, history, live);
        const longer = await this.#variant(trial, { settleWindowMs: request.windowMs });
        return settled(longer, request.windowMs, this.#reference);
      }
      case 'left-alone':
        return leftAlone(await live?.leaveAlone(request.ms), history);
      default:
        return assertNever(request);
    }
  }

  #variant(trial: Trial, variant: TrialVariant): Promise<History> {
    this.runs++;
    return this.#run(trial, variant);
  }

  /** Runs a fresh, undisturbed target from the final state of a run minus everything that the target owns. */
  #expectedState(history: History): Promise<ProbeResult> {
    const input = foreignInput(history, this.#reference);
    return this.#evidence.results.once(expectedKey(history, input), () => this.#freshCopy(input, livedMs(history)));
  }

  async #freshCopy(input: readonly KubeObject[], lived: number): Promise<ProbeResult> {
    const runs: History[] = [];
    // Two states of the copy are valid: the state when it first comes to rest, and the state after it has lived for as long as the target
    // did under contention, because what was correct early on may have expired. The later state is skipped in real time, where waiting is
    // expensive.
    const atRest = async (live: Live): Promise<void> => {
      if (!live.waitsForReal) runs.push(await live.liveOn(lived));
    };
    const run = await this.#copyOf(input, { seed: FRESH_SEED, atRest: lived === 0 ? undefined : atRest });
    return {
      probe: 'expected-state',
      outcomes: [run, ...runs].map((one) => stateOf(one)),
      settled: isSettled(run),
    };
  }

  #otherCopies(history: History): Promise<ProbeResult> {
    const input = foreignInput(history, this.#reference);
    const looked = history.probes.map((probe) => (probe.probe === 'extended-settle' ? probe.windowMs : 0));
    const laterMs = Math.max(LATER_MS, ...looked);
    const without = inputWithoutReplacements(history, this.#reference);
    const isReplaced = without.length < input.length;
    const key = `other-copies ${laterMs} ${inputKey(input)} ${isReplaced ? inputKey(without) : ''}`;
    return this.#evidence.results.once(key, async () => {
      const outcomes: ExpectedState[] = [];
      // The suspect might have reached the same outcome minutes later, if it had been observed for that long.
      const atRest = async (live: Live): Promise<void> => {
        if (!live.waitsForReal) outcomes.push(stateOf(await live.liveOn(laterMs)));
      };
      for (const seed of OTHER_SEEDS) outcomes.push(stateOf(await this.#copyOf(input, { seed, atRest })));
      const inOrder = await this.#inBothOrders(input, history);
      const own = isReplaced ? await this.#copyOf(without, { seed: FRESH_SEED }) : undefined;
      return {
        probe: 'other-copies',
        outcomes,
        ...(inOrder.length === 0 ? {} : { inOrder }),
        ...(own !== undefined && isSettled(own) ? { withoutReplacements: stateOf(own) } : {}),
      };
    });
  }

  /**
   * Returns the outcomes of two copies that receive the peers of an input in order and in reverse, and then lose those that are gone; none if
   * either has trouble with that.
   */
  async #inBothOrders(input: readonly KubeObject[], history: History): Promise<readonly ExpectedState[]> {
    const { others, peers, gone } = peersOf(input, this.#base.sample);
    if (peers.length === 0) return [];
    const ops = gone.flatMap((object) => deletionOf(object, history));
    const afterRest: readonly Program[] = ops.map((op) => ({ actor: 'user', writer: 'user', ops: [op] }));
    const runs: History[] = [];
    for (const groups of [peers, peers.map((group) => group.toReversed())])
      runs.push(await this.#copyOf(others, { seed: ORDERED_SEED, afterRest }, groups.flat().map(withoutVarying)));
    const isWhole = ({ settlement, operations }: History): boolean =>
      settlement.result === 'quiescent' &&
      operations.every(({ actor, outcome }) => roleOf(actor) !== 'user' || outcome.type === 'ok');
    return runs.every(isWhole) ? runs.map(stateOf) : [];
  }

  /**
   * @param variant Needs a seed other than the trial's: the seeded objects keep their uids, so the server must draw different ones.
   * @param late What is created once the target has started, in this order.
   */
  #copyOf(
    input: readonly KubeObject[],
    variant: TrialVariant & { readonly seed: number },
    late: readonly KubeObject[] = [],
  ): Promise<History> {
    const start = late.length === 0 ? 'settled' : 'empty';
    const trial = quietTrial({ ...this.#base, start, sample: late, programs: [] });
    return this.#variant(trial, { ...variant, seedObjects: input });
  }

  /** Waits for the next longer window each time it is requested: for most suspects, a second is enough. */
  async #settleOn(windowMs: number, { probes }: History, live: Live): Promise<ProbeResult> {
    const before = Math.max(0, ...probes.map((probe) => (probe.probe === 'extended-settle' ? probe.windowMs : 0)));
    const next = LIVE_WINDOWS_MS.find((window) => window > before) ?? windowMs;
    const began = realNow();
    const leftMs = live.waitsForReal ? Math.max(0, this.#patience.leftMs()) : Number.POSITIVE_INFINITY;
    const longer = await live.settleOn(Math.min(windowMs, next, leftMs));
    if (live.waitsForReal) this.#patience.spend(realNow() - began);
    return settled(longer.history, longer.windowMs, this.#reference);
  }

  /**
   * Returns an outcome that depends on the workload, and at most on the order of its operations. For first runs, one outcome serves all
   * trials of a workload; it is not kept if its run did not come to rest, as the next run may.
   */
  async #ofWorkload(
    probe: ProbeRequest['probe'],
    trial: Trial,
    make: () => Promise<OtherOutcome>,
  ): Promise<OtherOutcome> {
    if (!this.#isForFirstRuns) return make();
    const { outcomes } = this.#evidence;
    const key = workloadKey(probe, trial);
    const outcome = await outcomes.once(key, make);
    if (!outcome.settled) outcomes.forget(key);
    return outcome;
  }

  /** Runs a trial and returns its outcome, together with the expected state for that outcome. */
  async #outcome(trial: Trial, variant: TrialVariant): Promise<OtherOutcome> {
    const run = await this.#variant(trial, variant);
    return outcomeOf(run, await this.#expectedState(run));
  }

  /**
   * Repeats the foreign write at rest, fully visible, then the user's changes of the trial, and observes when the target reverts the write:
   * a target that does not hear of the write by itself may still replace it whenever it has something else to do, or at its next resync.
   */
  #driftTest(request: Extract<ProbeRequest, { probe: 'drift' }>, { workload }: Trial): Promise<ProbeResult> {
    const triggers = workload.programs
      .filter(({ actor, standing }) => actor === 'user' && standing !== true)
      .flatMap(({ ops }) => ops.filter(({ do: kind }) => kind === 'set' || kind === 'append'));
    return this.#evidence.results.once(JSON.stringify([request, triggers]), async () => {
      const { role, leaves, value } = request;
      const { aloneMs } = this.#reference;
      let alone: History | undefined;
      const atRest = async (live: Live): Promise<void> => {
        if (aloneMs !== undefined) alone = (await live.leaveAlone(aloneMs))?.history;
      };
      const ended = await this.#variant(quietTrial({ ...this.#base, start: 'settled', programs: [] }), {
        ...(aloneMs === undefined ? {} : { atRest }),
        afterRest: [
          { actor: 'writer-1', writer: 'drift', ops: [request.op] },
          ...triggers.map((op): Program => ({ actor: 'user', writer: 'user', ops: [op] })),
        ],
      });
      const run = alone ?? ended;
      const answers = new Map(leaves.map((leaf) => [leaf, revertedWhen(run, leaf)]));
      const reverted = leaves.filter((leaf) => answers.get(leaf) === 'at once');
      const later = leaves.filter((leaf) => answers.get(leaf) === 'later');
      return { probe: 'drift', role, leaves, value, reverted, ...(later.length === 0 ? {} : { revertedLater: later }) };
    });
  }
}

/** Returns how long a target lived under contention, in ms of run time, rounded up to minutes; 0 if it is too short to matter. */
function livedMs(history: History): number {
  const ms = phaseStartMs(history, 'heal') - phaseStartMs(history, 'contention');
  return Number.isFinite(ms) && ms >= LIVED_MIN_MS ? Math.ceil(ms / MINUTE_MS) * MINUTE_MS : 0;
}

function workloadKey(probe: ProbeRequest['probe'], { workload }: Trial): string {
  return `${probe} ${JSON.stringify(workload)}`;
}

function isSettled(run: History): boolean {
  return run.settlement.result === 'quiescent' && isUp(run);
}

function quietTrial(workload: Workload): Trial {
  return { workload, schedule: EMPTY_SCHEDULE };
}

const VARYING = new Set(['resourceVersion', 'creationTimestamp', 'generation', 'managedFields', 'uid']);

function expectedKey(history: History, input: readonly KubeObject[]): string {
  return `expected-state ${livedMs(history)} ${inputKey(input)}`;
}

function inputKey(input: readonly KubeObject[]): string {
  return canonicalJson(input.map(withoutVarying));
}

/** Returns an object without the server-managed metadata that differs in every run; a field of the same name elsewhere is content. */
function withoutVarying({ metadata, ...rest }: KubeObject): KubeObject {
  const kept = Object.entries(metadata).filter(([key]) => !VARYING.has(key));
  return { ...rest, metadata: Object.fromEntries(kept) };
}
