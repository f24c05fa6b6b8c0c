/**
 * Makes the further runs that properties ask for before they accuse anyone.
 *
 * Owns: what each probe is as a run, and its cache. Does not own: when one is needed (the properties) or the phases of a run
 * (`trial.ts`).
 */
import { roleOf } from '../model/actor.ts';
import { assertNever } from '../model/errors.ts';
import { phaseStart } from '../model/history.ts';
import type { History, Revision } from '../model/history.ts';
import { diffLeaves, isServerLeaf, jsonEqual, leafPattern, leavesOf, withoutLeaves } from '../model/leaf.ts';
import { objectKey } from '../model/object.ts';
import type { JsonObject, KubeObject } from '../model/object.ts';
import type { ExpectedState, ProbeRequest, ProbeResult } from '../model/probe.ts';
import type { Reference } from '../model/reference.ts';
import { EMPTY_SCHEDULE } from '../model/schedule.ts';
import type { Trial } from '../model/trial.ts';
import type { Workload } from '../model/workload.ts';
import { roleOfRevision } from '../oracle/reference.ts';
import type { TrialOptions } from './trial.ts';

/** Runs a trial with some of its options replaced; the runner fills in the rest. */
export type RunVariant = (trial: Trial, variant: Partial<TrialOptions>) => Promise<History>;

/** Any seed that no trial uses. */
const FRESH_SEED = 0x5eed_f00d;
/** The cache of expected states is dropped beyond this many distinct foreign inputs. */
const EXPECTED_MAX = 20_000;

export class Prober {
  readonly #run: RunVariant;
  readonly #base: Workload;
  readonly #reference: Reference;
  readonly #expected = new Map<string, ProbeResult>();
  readonly #drift = new Map<string, ProbeResult>();
  /** Runs made so far. */
  runs = 0;

  constructor(run: RunVariant, base: Workload, reference: Reference) {
    this.#run = run;
    this.#base = base;
    this.#reference = reference;
  }

  /** Evidence at hand without a run: the expected state of a foreign input seen before. */
  known(history: History): readonly ProbeResult[] {
    if (history.settlement.result !== 'quiescent') return [];
    const expected = this.#expected.get(inputKey(foreignInput(history, this.#reference)));
    return expected === undefined ? [] : [expected];
  }

  async probe(request: ProbeRequest, trial: Trial, history: History): Promise<ProbeResult> {
    switch (request.probe) {
      case 'expected-state':
        return this.#expectedState(history);
      case 'fresh-incarnation':
        return this.#freshIncarnation(trial);
      case 'drift':
        return this.#driftTest(request);
      case 'undisturbed':
        return this.#undisturbed(trial);
      case 'withheld-echo': {
        const again = await this.#variant(trial, { withholdEcho: true });
        return {
          probe: 'withheld-echo',
          writesAtRest: restWrites(again).length,
          windowMs: lastMs(again) - settleMs(again),
        };
      }
      case 'extended-settle': {
        const longer = await this.#variant(trial, { settleWindowMs: request.windowMs });
        return {
          probe: 'extended-settle',
          windowMs: request.windowMs,
          quiescent: longer.settlement.result === 'quiescent',
          final: finalRevisions(longer).map((revision) => revision.object),
          names: longer.names,
          writesAtRest: restWrites(longer).length,
        };
      }
      default:
        return assertNever(request);
    }
  }

  #variant(trial: Trial, variant: Partial<TrialOptions>): Promise<History> {
    this.runs++;
    return this.#run(trial, variant);
  }

  /** What a fresh, undisturbed target makes of the final state with everything target-owned taken out. */
  async #expectedState(history: History): Promise<ProbeResult> {
    const input = foreignInput(history, this.#reference);
    const key = inputKey(input);
    const cached = this.#expected.get(key);
    if (cached !== undefined) return cached;
    const run = await this.#variant(quietTrial({ ...this.#base, start: 'settled', sample: [], programs: [] }), {
      seedObjects: input,
      // The seeded objects keep their uids, so the server must draw others.
      seed: FRESH_SEED,
    });
    const outcome: ExpectedState = {
      objects: Object.fromEntries(
        finalRevisions(run).map((revision) => [
          objectKey(revision.resource, revision.namespace, run.names[revision.uid] ?? revision.name),
          revision.object,
        ]),
      ),
    };
    const result: ProbeResult = {
      probe: 'expected-state',
      outcomes: [outcome],
      settled: run.settlement.result === 'quiescent',
    };
    if (this.#expected.size >= EXPECTED_MAX) this.#expected.clear();
    this.#expected.set(key, result);
    return result;
  }

  async #freshIncarnation(trial: Trial): Promise<ProbeResult> {
    const run = await this.#variant(trial, { freshIncarnation: true });
    const since = run.processes.findLast((event) => event.kind === 'stopped')?.at ?? Number.POSITIVE_INFINITY;
    const writes = run.revisions
      .filter((revision) => revision.at > since && roleOf(revision.actor) === 'target')
      .map((revision) => describeWrite(run, revision));
    return { probe: 'fresh-incarnation', writes, settled: run.settlement.result === 'quiescent' };
  }

  /** The same workload with nobody in between, beside what a fresh target makes of its outcome. */
  async #undisturbed(trial: Trial): Promise<ProbeResult> {
    const run = await this.#variant(quietTrial(trial.workload), {});
    const expected = await this.#expectedState(run);
    return {
      probe: 'undisturbed',
      settled: run.settlement.result === 'quiescent' && expected.probe === 'expected-state' && expected.settled,
      final: finalRevisions(run).map((revision) => revision.object),
      names: run.names,
      expected: expected.probe === 'expected-state' ? expected.outcomes : [],
    };
  }

  /** The same foreign write at rest, fully visible: what does the target do to it? */
  async #driftTest(request: Extract<ProbeRequest, { probe: 'drift' }>): Promise<ProbeResult> {
    const key = JSON.stringify(request);
    const cached = this.#drift.get(key);
    if (cached !== undefined) return cached;
    const { role, leaves, value } = request;
    const run = await this.#variant(quietTrial({ ...this.#base, start: 'settled', programs: [] }), {
      afterRest: [{ actor: 'writer-1', writer: 'drift', ops: [request.op] }],
    });
    const made = run.revisions.filter((revision) => revision.actor === 'writer-1');
    const reverted = leaves.filter((leaf) => !survives(run, made, leaf));
    const result: ProbeResult = { probe: 'drift', role, leaves, value, reverted };
    this.#drift.set(key, result);
    return result;
  }
}

function quietTrial(workload: Workload): Trial {
  return { workload, schedule: EMPTY_SCHEDULE };
}

/** Whether the leaf still has the value that the write gave it. A write that had no effect proves nothing and counts as reverted. */
function survives(run: History, made: readonly Revision[], leaf: string): boolean {
  const set = made.findLast((revision) =>
    diffLeaves(revision.before, revision.object).some((change) => leafPattern(change.path) === leafPattern(leaf)),
  );
  if (set === undefined) return false;
  const wanted = leavesOf(set.object).get(leaf);
  const final = run.revisions.findLast((revision) => revision.uid === set.uid);
  if (final === undefined || final.type === 'DELETED') return false;
  return jsonEqual(leavesOf(final.object).get(leaf), wanted);
}

/** The last revision of every object that is still there, in order of first appearance. */
export function finalRevisions(history: History): readonly Revision[] {
  const last = new Map<string, Revision>();
  for (const revision of history.revisions) {
    if (revision.type === 'DELETED') last.delete(revision.uid);
    else last.set(revision.uid, revision);
  }
  return [...last.values()];
}

/** The final state without what the target made or owns, as a user and third parties would have left it. */
export function foreignInput(history: History, reference: Reference): readonly KubeObject[] {
  const creators = new Map<string, string>();
  for (const revision of history.revisions) if (revision.type === 'ADDED') creators.set(revision.uid, revision.actor);
  return finalRevisions(history).flatMap((revision) => {
    if (roleOf(creators.get(revision.uid) ?? '') === 'target') return [];
    const owned = new Set(reference.ownedLeaves[roleOfRevision(history, revision)] ?? []);
    if (owned.size === 0) return [revision.object];
    return [withoutLeaves(revision.object, (path) => !isServerLeaf(path) && owned.has(leafPattern(path)))];
  });
}

const VARYING = new Set(['resourceVersion', 'creationTimestamp', 'generation', 'managedFields', 'uid']);

function inputKey(input: readonly KubeObject[]): string {
  return JSON.stringify(input.map(withoutVarying));
}

/** Only what the server keeps in metadata varies by nature; a field of that name elsewhere is content. */
function withoutVarying({ metadata, ...rest }: KubeObject): JsonObject {
  const kept = Object.entries(metadata).filter(([key]) => !VARYING.has(key));
  return { ...rest, metadata: Object.fromEntries(kept) };
}

function settleMs(history: History): number {
  return history.phases.find((mark) => mark.phase === 'settle')?.timeMs ?? 0;
}

function lastMs(history: History): number {
  return history.phases.at(-1)?.timeMs ?? 0;
}

/** What the target changed once it had come to rest after the last change by anyone else. */
function restWrites(history: History): readonly Revision[] {
  const settle = phaseStart(history, 'settle');
  const foreign = history.revisions.findLast((revision) => roleOf(revision.actor) !== 'target')?.at ?? -1;
  const since = Math.max(settle, foreign);
  return history.revisions.filter((revision) => revision.at > since && roleOf(revision.actor) === 'target');
}

function describeWrite(history: History, revision: Revision): string {
  const verb = history.operations[revision.op]?.verb ?? revision.type;
  const changes = diffLeaves(revision.before, revision.object)
    .filter((change) => !isServerLeaf(change.path))
    .map((change) => `${change.path}=${JSON.stringify(change.to ?? null)}`);
  return `${verb} ${revision.resource}/${history.names[revision.uid] ?? revision.name} ${changes.slice(0, 4).join(' ')}`;
}
