/**
 * P10, one active leader: two replicas together never do damage that one replica would not.
 *
 * Judges consequences, not who claims to be the leader. Violations of P4 or P6 caused by two replicas that were alive at the same time are
 * reported here instead, unless the last replica to act held the lock when it began. In addition, a replica that has lost the lock must not
 * begin writes about reconciled objects once it could have known of the loss for longer than the renew deadline. Locks are recognised by
 * their content: a holder and a renew time.
 */
import { controllerOf } from 'stalemate-apiserver/objects/object';
import type { ActorId } from '../harness/model/actor.ts';
import { roleOf } from '../harness/model/actor.ts';
import type { CheckResult, Violation } from '../harness/model/check-result.ts';
import { HOLDS } from '../harness/model/check-result.ts';
import type { ProbeRequest } from '../harness/model/probe.ts';
import type { History, Operation } from '../harness/model/history.ts';
import { isWrite } from '../harness/model/history.ts';
import type { HistoryIndex } from '../harness/oracle/history-index.ts';
import { indexOf } from '../harness/oracle/history-index.ts';
import type { Tenure } from '../harness/oracle/leadership.ts';
import { livesOf, overlap, tenuresOf } from '../harness/oracle/leadership.ts';
import type { Life } from '../harness/oracle/leadership.ts';
import type { Property } from '../harness/oracle/property.ts';
import { cardinality } from './cardinality.ts';
import { noMistakenDeletion } from './no-mistaken-deletion.ts';
import { noResurrection } from './no-resurrection.ts';
import { hasReplicas } from './exercised.ts';

const NAME = 'one-active-leader';
/** Properties that two leaders together may violate by creations and deletions. */
const CONSEQUENCES: readonly Property[] = [cardinality, noResurrection, noMistakenDeletion];

export const oneActiveLeader: Property = {
  name: NAME,
  id: 'P10',
  kind: 'safety',
  about: 'two replicas do no damage that one would not, and one that has lost its lock stops writing',
  supersedes: CONSEQUENCES.map(({ name }) => name),
  check,
  exercised: hasReplicas,
};

function check(history: History): CheckResult {
  const lives = livesOf(history);
  if (!lives.some((life) => lives.some((other) => overlap(life, other)))) return HOLDS;
  const index = indexOf(history);
  const tenures = tenuresOf(history);
  const violations = lateWrites(index, tenures);
  // These need no further run, which there may be no time for.
  if (violations.length > 0) return { result: 'violated', violations };
  const needs: ProbeRequest[] = [];
  let unclear: Extract<CheckResult, { result: 'inconclusive' }> | undefined;
  for (const property of CONSEQUENCES) {
    const result = property.check(history);
    if (result.result === 'inconclusive') unclear ??= result;
    if (result.result !== 'violated') continue;
    for (const violation of result.violations) {
      const others = accomplices(index, violation, lives, tenures);
      if (others === undefined) continue;
      violations.push(blame(violation, others));
      needs.push(...(result.needs ?? []));
    }
  }
  if (violations.length > 0) return { result: 'violated', violations, ...(needs.length === 0 ? {} : { needs }) };
  return unclear ?? HOLDS;
}

/** Returns the replicas involved; undefined if there was only one, or if the last one to act was the leader. */
function accomplices(
  index: HistoryIndex,
  { operations }: Violation,
  lives: readonly Life[],
  tenures: readonly Tenure[],
): readonly ActorId[] | undefined {
  const involved = operations
    .flatMap((id) => index.operation(id) ?? [])
    .filter(({ actor }) => roleOf(actor) === 'target');
  const [guilty] = involved;
  if (guilty === undefined || wasHolder(tenures, guilty)) return undefined;
  const own = lives.find(({ actor }) => actor === guilty.actor);
  const others = new Set(involved.map(({ actor }) => actor));
  others.delete(guilty.actor);
  const together = [...others].filter((actor) =>
    lives.some((life) => life.actor === actor && own !== undefined && overlap(life, own)),
  );
  return together.length === 0 ? undefined : [guilty.actor, ...together];
}

/** Reports whether an actor held a lock when it began an operation. */
function wasHolder(tenures: readonly Tenure[], { actor, invoked }: Operation): boolean {
  return tenures.some((tenure) => tenure.actor === actor && tenure.from < invoked.at && invoked.at < tenure.until.at);
}

function blame(violation: Violation, actors: readonly ActorId[]): Violation {
  return {
    ...violation,
    signature: { ...violation.signature, property: NAME },
    sentence: `${violation.sentence}; ${actors.join(' and ')} were both at work`,
  };
}

/** Finds writes about reconciled objects that a replica began too long after it could have known that it had lost the lock. */
function lateWrites(index: HistoryIndex, tenures: readonly Tenure[]): Violation[] {
  const violations: Violation[] = [];
  for (const tenure of tenures) {
    const { actor, until, deadlineMs } = tenure;
    if (until.by === undefined) continue;
    for (const operation of index.history.operations) {
      const { invoked, verb, committed } = operation;
      if (operation.actor !== actor || !isWrite(verb) || committed.length === 0) continue;
      if (invoked.timeMs <= until.timeMs + deadlineMs || wasHolder(tenures, operation)) continue;
      if (!isReconciled(index, operation)) continue;
      violations.push(lateWrite(index, tenure, operation));
    }
  }
  return violations;
}

/**
 * Reports whether the write is to an object that the user created or that a controller owns. Every replica may write other objects of
 * its own: Events, certificates, its own status.
 */
function isReconciled(index: HistoryIndex, { id }: Operation): boolean {
  const written = index.history.revisions.find(({ op }) => op === id);
  if (written === undefined) return false;
  const [first] = index.chain(written.uid);
  return first?.actor === 'user' || controllerOf(written.object) !== undefined;
}

function lateWrite(index: HistoryIndex, { lock, until }: Tenure, operation: Operation): Violation {
  const written = index.history.revisions.find(({ op }) => op === operation.id);
  const seconds = Math.round((operation.invoked.timeMs - until.timeMs) / 1000);
  return {
    signature: {
      property: NAME,
      class: 'wrote-after-loss',
      actors: ['target'],
      kind: operation.resource,
      field: '',
    },
    sentence:
      `${operation.actor} wrote ${written === undefined ? operation.resource : index.shortName(written)} (version ` +
      `${operation.committed[0] ?? 0}) ${seconds} s after ${until.by ?? 'another'} had taken ${lock} from it (version ${until.revision})`,
    operations: [operation.id],
    revisions: [until.revision, ...operation.committed],
    at: written?.at ?? operation.invoked.at,
    severity: 'error',
  };
}
