/**
 * The reference runs: the target with nobody against it, several times, with other seeds and clocks.
 *
 * Owns: which undisturbed runs are made, and the aim of the adversaries drawn from them. What the runs say about ownership is
 * `oracle/reference.ts`.
 */
import { roleOf } from '../model/actor.ts';
import { loadOf, rounded, type Measures } from '../model/baseline.ts';
import { HarnessError } from '../model/errors.ts';
import { isWrite, phaseStart } from '../model/history.ts';
import type { History, Mark } from '../model/history.ts';
import { groupResource, parentOf, parseApiVersion } from '../model/object.ts';
import type { JsonObject, KubeObject } from '../model/object.ts';
import { OUTSIDE } from '../model/outside.ts';
import type { Reference } from '../model/reference.ts';
import { EMPTY_SCHEDULE } from '../model/schedule.ts';
import { specHash } from '../model/spec-hash.ts';
import type { Trial } from '../model/trial.ts';
import type { Declarations } from '../model/waiver.ts';
import type { ObjectTarget, ProgramOp, Workload } from '../model/workload.ts';
import { drawnNamesIn } from '../oracle/drawn-names.ts';
import { leaseSeconds, lockHolder } from '../oracle/leadership.ts';
import { ownPauseMs } from '../oracle/pace.ts';
import { buildReference, roleOfRevision } from '../oracle/reference.ts';
import type { ReferenceRun } from '../oracle/reference.ts';
import { inTurns, specChanges } from '../schedule/workload/schema-arbitrary.ts';
import type { StrategyHints } from '../schedule/strategies/strategy.ts';
import type { Aim, AimObject, SpecChange } from '../schedule/workload/writer.ts';
import { inLanes } from './lanes.ts';
import { objectTarget } from './object-target.ts';
import { exitHint, lastWords, silenceHint } from './process-trouble.ts';
import { finalRevisions } from './prober.ts';
import type { TrialRunner } from './runner.ts';
import type { Habit } from './trial.ts';
import type { Containment } from './world.ts';

/** Distinct seeds and clocks: what follows them is volatile by nature. */
const BASE_RUNS = [
  { seed: 11, clockOffsetMs: 0 },
  { seed: 22, clockOffsetMs: 86_400_000 * 45 + 12_345_678 },
  { seed: 33, clockOffsetMs: 86_400_000 * 400 + 7 },
] as const;
/** Windows that a process gets in further references after one in which it never came to rest. */
const RESTLESS_WINDOWS = 2;
/** Spec values tried beyond the sample's own. */
const SPEC_CHANGES_MAX = 8;

export interface References {
  readonly reference: Reference;
  readonly aim: Aim;
  /** The first base run; not where the rest was remembered. */
  readonly history?: History;
  /** What is wrong with the target already when nobody disturbs it. */
  readonly warnings: readonly string[];
}

/** What the target takes of the server when nobody disturbs it. */
export function undisturbedMeasures({ reference, history }: References): Measures {
  const load = history === undefined ? undefined : loadOf(history);
  const { requestsPerMinute, writesPerMinute } = reference.idle;
  return {
    ...(load === undefined ? {} : { requestsUndisturbed: load.requests, writesUndisturbed: load.writes }),
    idleRequestsPerMinute: rounded(requestsPerMinute),
    idleWritesPerMinute: rounded(writesPerMinute),
    largestBurst: reference.burstMax,
  };
}

/** The same with what the user says of fields. */
export function withDeclared(references: References, declared: Declarations | undefined): References {
  if (declared === undefined || declared.coOwned.length + declared.volatile.length === 0) return references;
  return { ...references, reference: { ...references.reference, declared } };
}

export async function takeReferences(
  runner: TrialRunner,
  base: Workload,
  crds: readonly KubeObject[],
): Promise<References> {
  const trial: Trial = { workload: { ...base, start: 'empty', programs: [] }, schedule: EMPTY_SCHEDULE };
  let undisturbed = await baseRuns(runner, trial);
  const drawnNames = drawnNamesIn(undisturbed);
  if (Object.keys(drawnNames).length > 0) {
    // With names that the target draws itself told by order, as generated ones are, the runs are comparable.
    runner.habits.drawnNames = drawnNames;
    undisturbed = await baseRuns(runner, trial);
  }
  const runs: ReferenceRun[] = undisturbed.map((history) => ({ kind: 'base', history }));
  const [first] = undisturbed;
  const settled: Trial = { ...trial, workload: { ...trial.workload, start: 'settled' } };
  const healthy: SpecChange[] = [];
  const hashes = new Set(base.sample.map((object) => specHash(object)));
  // A target that never comes to rest has no healthy values to change between.
  const restless = runs.some((run) => run.history.settlement.result !== 'quiescent');
  const changes = restless ? [] : candidates(runner, base, crds).slice(0, SPEC_CHANGES_MAX);
  const deletions = targetsOf(runner, base).map((target): ProgramOp => ({ do: 'delete', target }));
  const programs = [...changes.map((change) => [setOp(change)]), deletions];
  const settledRuns = await inLanes(await runner.lanes(programs.length), programs, (lane, ops) =>
    lane.run(settled, { afterRest: [{ actor: 'user', writer: 'user', ops }] }),
  );
  for (const [index, history] of settledRuns.entries()) {
    const change = changes[index];
    if (change === undefined) runs.push({ kind: 'deletion', history });
    else if (settledHealthy(history)) {
      healthy.push(change);
      for (const revision of history.revisions) {
        if (revision.actor === 'user' && revision.type === 'MODIFIED') hashes.add(specHash(revision.object));
      }
      runs.push({ kind: 'spec-change', history });
    }
  }
  if (!runner.repeatable) runner.habits.habit = habitOf(runs.map(({ history }) => history));
  const reference: Reference = {
    ...buildReference(runs, [...hashes]),
    suspectSettleMs: runner.host.pace.suspectMs,
    ...(Object.keys(drawnNames).length === 0 ? {} : { drawnNames }),
  };
  // From here on a run depends on its trial alone, not on what was run before.
  runner.learning = false;
  runner.habits.readsAreActivity = reference.idle.requestsPerMinute === 0;
  // An undisturbed start takes about as many items as contention does, give or take the writers'.
  runner.hints = {
    ...runner.hints,
    steps: Math.max(runner.hints.steps, first.steps),
    watched: watchedBy(first),
    ...lockOf(first),
  };
  return {
    reference,
    aim: aimOf(runner, first, reference, base, healthy, crds),
    history: first,
    warnings: [...undisturbedTroubles(first), ...ownerless(first)],
  };
}

/** What it did before contention in most runs. */
function habitOf(runs: readonly History[]): Habit {
  const before = ({ at }: Mark, run: History): boolean => at < phaseStart(run, 'contention');
  const mostly = (of: readonly History[], count: (run: History) => number): number =>
    of.map(count).toSorted((a, b) => a - b)[Math.floor(of.length / 2)] ?? 0;
  return {
    watches: mostly(
      runs,
      (run) =>
        run.operations.filter(
          ({ verb, outcome, answered }) =>
            verb === 'watch' && outcome.type === 'ok' && answered !== undefined && before(answered, run),
        ).length,
    ),
    changes: mostly(
      runs.filter((run) => run.revisions.some((revision) => revision.actor === 'user' && before(revision, run))),
      (run) => run.revisions.filter((revision) => roleOf(revision.actor) === 'target' && before(revision, run)).length,
    ),
  };
}

/** Undisturbed runs, each with a seed and a clock of its own. The first says how long the target pauses, and what it does at first. */
async function baseRuns(runner: TrialRunner, trial: Trial): Promise<readonly [History, ...(readonly History[])]> {
  const { host, habits, repeatable } = runner;
  const { idleMs, firstWindowMs } = host.pace;
  const [opening, ...again] = BASE_RUNS;
  const window = firstWindowMs === undefined ? {} : { settleWindowMs: firstWindowMs };
  const first = await runner.run(trial, { ...opening, idleMs, ...window });
  checkAlive(first, host.containment);
  if (!repeatable) {
    const { watches } = habitOf([first]);
    habits.habit = { watches };
    habits.pauseMs = Math.max(habits.pauseMs, ownPauseMs([first]));
  }
  // On the wall's clock one look at rest is enough, and one at a target that never comes to rest: it costs what it lasts.
  const restless = first.settlement.result !== 'quiescent';
  const idle = repeatable ? { idleMs } : restless ? { settleWindowsMax: RESTLESS_WINDOWS } : {};
  const others = await inLanes(await runner.lanes(again.length), again, (lane, variant) =>
    lane.run(trial, { ...variant, ...idle, ...window }),
  );
  for (const history of others) checkAlive(history, host.containment);
  if (!repeatable) habits.pauseMs = Math.max(habits.pauseMs, ownPauseMs(others));
  return [first, ...others];
}

/** The kinds of objects that the target watches; its locks are no objects that it decides by. */
function watchedBy({ operations }: History): readonly string[] {
  const watches = operations.filter(({ actor, verb }) => verb === 'watch' && roleOf(actor) === 'target');
  return [...new Set(watches.map(({ resource }) => resource))].filter((resource) => !resource.startsWith('leases.'));
}

/** A target that did nothing at all cannot be tested, and silence would look like success. */
export function checkAlive(history: History, containment?: Containment): void {
  checkSample(history);
  const failed = history.processes.find((event) => event.kind === 'start-failed' || event.kind === 'unhandled');
  if (failed !== undefined && containment !== undefined) {
    throw new HarnessError('TARGET_FAILED', `the target could not be started: ${failed.detail}`);
  }
  if (failed !== undefined && history.settlement.result === 'never-started') {
    throw new HarnessError('TARGET_FAILED', `the target failed to start: ${failed.detail}`);
  }
  if (failed?.kind === 'start-failed') {
    throw new HarnessError(
      'TARGET_FAILED',
      `the target's start() failed: ${failed.detail}; run it alone against a cluster first`,
    );
  }
  const exited = history.processes.find((event) => event.kind === 'exited');
  if (containment !== undefined) checkStarted(history);
  const asked = history.operations.some(
    (operation) => roleOf(operation.actor) === 'target' && !isWrite(operation.verb),
  );
  if (exited !== undefined && !asked) {
    throw new HarnessError(
      'TARGET_FAILED',
      `the target exited while starting (${exited.detail}); expected it to stay and watch${exitHint(exited.detail)}${lastWords(history)}`,
    );
  }
  if (!asked && containment !== undefined) {
    throw new HarnessError(
      'TARGET_FAILED',
      `the target sent no request in an undisturbed run; expected it to list or watch something through the kubeconfig it was given: ${silenceHint(containment)}${lastWords(history)}`,
    );
  }
  if (!asked) {
    throw new HarnessError(
      'TARGET_FAILED',
      'the target sent no request in an undisturbed run; expected it to list or watch something through the kubeConfig it was given: ' +
        'does start() use that kubeConfig, and does it start its informers?',
    );
  }
}

/** More lives than this, undisturbed, and it does not stay up. */
const LIVES_MAX = 3;

/** A program that is never ready, or that keeps ending, when nobody disturbs it. */
function checkStarted(history: History): void {
  const { settlement, processes } = history;
  const exits = processes.filter(({ kind }) => kind === 'exited');
  if (exits.length >= LIVES_MAX && history.operations.some(({ actor }) => roleOf(actor) === 'target')) {
    throw new HarnessError(
      'TARGET_FAILED',
      `the target ended ${exits.length} times in an undisturbed run (${exits.at(-1)?.detail ?? ''}); expected it to stay up${lastWords(history)}`,
    );
  }
  if (settlement.result === 'cut-short')
    throw new HarnessError('CLUSTER_UNAVAILABLE', `an undisturbed run was cut short: ${settlement.detail}`);
  if (settlement.result !== 'never-started') return;
  throw new HarnessError(
    'TARGET_FAILED',
    `the target never became ready: ${settlement.detail}; check --ready, or give it longer with --ready-within${lastWords(history)}`,
  );
}

/** How long the locks are good for that the target took. */
function lockOf({ revisions }: History): Pick<StrategyHints, 'lockMs'> {
  const locks = revisions.filter(({ actor, object }) => roleOf(actor) === 'target' && lockHolder(object) !== undefined);
  return locks.length === 0 ? {} : { lockMs: Math.max(...locks.map(({ object }) => leaseSeconds(object) * 1000)) };
}

/** A sample that the API server refuses would leave the target with nothing to do, and silence would look like success. */
function checkSample(history: History): void {
  for (const { actor, verb, outcome, resource, name, body } of history.operations) {
    if (actor !== 'user' || verb !== 'create' || outcome.type !== 'fail') continue;
    const own = (body as KubeObject | undefined)?.metadata.name ?? name;
    throw new HarnessError(
      'MANIFEST_INVALID',
      `the API server refused the sample ${resource}/${own} with ${outcome.code}: ${outcome.message}; expected an object that it accepts`,
    );
  }
}

/** Refused this often in an undisturbed run, a request is no accident. */
const REFUSALS_TOLD = 2;

/** Trouble that needs no contention: differential properties are blind to what goes wrong in every run alike. */
function undisturbedTroubles(history: History): readonly string[] {
  const refused = new Map<string, { count: number; message: string }>();
  for (const { actor, verb, resource, name, outcome } of history.operations) {
    if (roleOf(actor) !== 'target' || outcome.type !== 'fail' || !isWrite(verb)) continue;
    if (outcome.code === 404 || outcome.code === 409) continue;
    const key = `${verb} of ${resource}/${name}`;
    const message = `${outcome.code} ${outcome.message}`;
    refused.set(key, { message, count: (refused.get(key)?.count ?? 0) + 1 });
  }
  const warnings = [...refused]
    .filter(([, { count }]) => count >= REFUSALS_TOLD)
    .map(
      ([key, { count, message }]) =>
        `undisturbed, the target's ${key} was refused ${count} times (${message}): what goes wrong in every run alike is not found by contention`,
    );
  if (history.settlement.result === 'quiescent') return warnings;
  return [...warnings, 'undisturbed, the target never comes to rest: convergence cannot be judged'];
}

/** What the target makes under drawn names without saying whose it is: too many of them could not be told from enough. */
function ownerless({ revisions, names }: History): readonly string[] {
  const kinds = new Set<string>();
  for (const { actor, type, resource, uid, object } of revisions) {
    const drawn = names[uid]?.includes('~') === true;
    if (type !== 'ADDED' || roleOf(actor) !== 'target' || !drawn || /^events(\.|$)/.test(resource)) continue;
    if (resource === OUTSIDE) continue;
    if (parentOf(object) === undefined) kinds.add(resource);
  }
  return [...kinds].map(
    (resource) =>
      `the target creates ${resource} under generated names without an ownerReference of a controller or of one owner only: cardinality cannot tell whose they are and says nothing about them`,
  );
}

function settledHealthy(history: History): boolean {
  if (history.settlement.result !== 'quiescent') return false;
  if (!history.revisions.some((revision) => revision.actor === 'user' && revision.type === 'MODIFIED')) return false;
  const since = phaseStart(history, 'settle');
  return !history.operations.some(
    ({ actor, invoked, outcome }) =>
      roleOf(actor) === 'target' &&
      invoked.at > since &&
      outcome.type === 'fail' &&
      outcome.code !== 404 &&
      outcome.code !== 409,
  );
}

function candidates(runner: TrialRunner, base: Workload, crds: readonly KubeObject[]): readonly SpecChange[] {
  const perObject = base.sample.map((object): readonly SpecChange[] => {
    const target = objectTarget(runner.host.cluster, object);
    const crd = crdOf(object, crds);
    if (target === undefined || crd === undefined) return [];
    return specChanges(crd, object).map(({ path, value }): SpecChange => ({ target, path, value }));
  });
  return [...inTurns(perObject)];
}

function setOp(change: SpecChange): ProgramOp {
  return { do: 'set', target: change.target, path: change.path, value: change.value, via: 'update' };
}

/** The schema of a custom resource's version, for writers that go beyond well-known fields. */
function schemaOf(object: KubeObject, crds: readonly KubeObject[]): JsonObject | undefined {
  const { version } = parseApiVersion(object.apiVersion);
  const spec = crdOf(object, crds)?.['spec'] as CrdSpec | undefined;
  return spec?.versions?.find((candidate) => candidate.name === version)?.schema?.openAPIV3Schema;
}

/** The definition of an object's kind; undefined for built-in kinds. */
function crdOf(object: KubeObject, crds: readonly KubeObject[]): KubeObject | undefined {
  const { group } = parseApiVersion(object.apiVersion);
  return crds.find((crd) => {
    const spec = crd['spec'] as CrdSpec | undefined;
    return spec?.group === group && spec.names?.kind === object.kind;
  });
}

interface CrdSpec {
  readonly group?: string;
  readonly names?: { readonly kind?: string };
  readonly versions?: readonly {
    readonly name?: string;
    readonly schema?: { readonly openAPIV3Schema?: JsonObject };
  }[];
}

function targetsOf(runner: TrialRunner, base: Workload): readonly ObjectTarget[] {
  return base.sample.flatMap((object) => objectTarget(runner.host.cluster, object) ?? []);
}

/** What the adversaries may act upon: the objects that the target reads or writes, as they stood at rest. */
function aimOf(
  runner: TrialRunner,
  history: History,
  reference: Reference,
  base: Workload,
  healthySpecChanges: readonly SpecChange[],
  crds: readonly KubeObject[],
): Aim {
  const samples = new Set(
    targetsOf(runner, base).map((target) => `${groupResource(target)}/${target.namespace}/${target.name}`),
  );
  const read = new Set(reference.reads);
  const objects = finalRevisions(history).flatMap((revision): AimObject[] => {
    // Third parties of the cluster have no business outside it.
    if (revision.resource === OUTSIDE) return [];
    const kind = runner.host.cluster.kindFor(revision.object.apiVersion, revision.object.kind);
    if (kind === undefined) return [];
    const name = history.names[revision.uid] ?? revision.name;
    const chain = history.revisions.filter((other) => other.uid === revision.uid);
    const created = roleOf(chain[0]?.actor ?? '') === 'target';
    const written = chain.some((other) => roleOf(other.actor) === 'target');
    const sample = samples.has(`${revision.resource}/${revision.namespace}/${revision.name}`);
    if (!sample && !written && !read.has(revision.resource)) return [];
    const role = roleOfRevision(history, revision);
    const owned = reference.ownedLeaves[role] ?? [];
    const { group, version, resource } = kind;
    const schema = schemaOf(revision.object, crds);
    const subresources = runner.host.cluster.subresourcesOf(revision.object.apiVersion, revision.object.kind);
    return [
      {
        target: { group, version, resource, namespace: revision.namespace, name },
        kind: kind.kind,
        object: revision.object,
        relation: created ? 'created-by-target' : sample ? 'sample' : written ? 'written' : 'read',
        updated: chain.slice(1).some((other) => roleOf(other.actor) === 'target'),
        hasStatus: subresources.has('status'),
        hasScale: subresources.has('scale'),
        ownedLeaves: owned,
        ...(schema === undefined ? {} : { schema }),
        targetFinalizers: (revision.object.metadata.finalizers ?? []).filter((finalizer) =>
          owned.includes(`metadata.finalizers[${JSON.stringify(finalizer)}]`),
        ),
      },
    ];
  });
  return { objects, healthySpecChanges };
}
