/**
 * Objects that a fresh copy of the target refuses: it records a Warning event about them, and creates nothing for them. The copy has never
 * seen an earlier, valid version of the object, so it does not show what the target should have made from that version.
 */
import { mapOf, textOf } from 'stalemate-apiserver/objects/json';
import type { KubeObject } from 'stalemate-apiserver/objects/object';
import { roleOf } from '../model/actor.ts';
import { isEvent } from '../model/aside.ts';
import type { History } from '../model/history.ts';
import type { ExpectedState } from '../model/probe.ts';
import type { Difference } from './final-state.ts';
import { indexOf } from './history-index.ts';

/**
 * Returns the reason and message of the event with which fresh copies, and the target in the run, refuse the object or an owner of it;
 * undefined if one of them does not refuse it, or if the fresh copy has set the field that differs.
 */
export function refusalOf(
  history: History,
  outcomes: readonly ExpectedState[],
  { what, uid, expected }: Difference,
): string | undefined {
  if (what === 'missing-object' || expected !== undefined) return undefined;
  for (const object of withOwners(history, uid)) {
    const refusals = outcomes.map((outcome) => refusalIn(outcome, object));
    const [refusal] = refusals;
    if (refusal === undefined || refusals.includes(undefined)) continue;
    if (isRefusedInRun(history, object, refusal)) return `${refusal.reason}: ${refusal.message}`;
  }
  return undefined;
}

interface Refusal {
  readonly reason: string;
  readonly message: string;
}

/** Reports whether the target refused the object in the run for the same reason, since another client last changed it. */
function isRefusedInRun(
  history: History,
  { metadata: { uid = '' }, ...object }: KubeObject,
  refusal: Refusal,
): boolean {
  const chain = indexOf(history).chain(uid);
  const changed = chain.findLast(({ actor }) => roleOf(actor) !== 'target')?.at ?? 0;
  const about = { ...object, metadata: chain.at(-1)?.object.metadata ?? {} };
  return history.revisions.some(
    (revision) =>
      isEvent(revision.resource) &&
      revision.at > changed &&
      roleOf(revision.actor) === 'target' &&
      warningAbout(revision.object, about)?.reason === refusal.reason,
  );
}

/** Returns the last version of an object and of its owners, from the object upwards. */
function withOwners(history: History, uid: string | undefined): readonly KubeObject[] {
  const found: KubeObject[] = [];
  const seen = new Set<string>();
  for (let next = uid; next !== undefined && !seen.has(next);) {
    seen.add(next);
    const object = indexOf(history).chain(next).at(-1)?.object;
    if (object === undefined) break;
    found.push(object);
    next = (object.metadata.ownerReferences ?? [])[0]?.uid;
  }
  return found;
}

/**
 * Returns the Warning with which a fresh copy refuses the object; undefined if there is none, or if the copy created a child of the object.
 */
function refusalIn({ objects }: ExpectedState, object: KubeObject): Refusal | undefined {
  const { kind, metadata } = object;
  let refusal: Refusal | undefined;
  for (const [key, made] of Object.entries(objects)) {
    const { ownerReferences = [] } = made.metadata;
    if (ownerReferences.some((owner) => owner.kind === kind && owner.name === metadata.name)) return undefined;
    if (isEvent(key.slice(0, key.indexOf('/')))) refusal ??= warningAbout(made, object);
  }
  return refusal;
}

/** Returns the content of a Warning event about the object; undefined for any other event. */
function warningAbout(
  event: KubeObject,
  { kind, metadata: { name = '', namespace = '' } }: KubeObject,
): Refusal | undefined {
  if (event['type'] !== 'Warning') return undefined;
  const about = mapOf(event['involvedObject'] ?? event['regarding']);
  const isAbout =
    textOf(about['kind']) === kind && textOf(about['name']) === name && textOf(about['namespace']) === namespace;
  if (!isAbout) return undefined;
  return { reason: textOf(event['reason']), message: textOf(event['message'] ?? event['note']) };
}
