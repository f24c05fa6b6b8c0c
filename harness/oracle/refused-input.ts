/**
 * Objects that a fresh copy of the target refuses: it says so in a Warning event about them, and makes nothing for them. That copy has
 * never seen an earlier, valid version, and is no measure for what was made of one.
 */
import { mapOf, textOf } from 'stalemate-apiserver/objects/json';
import type { KubeObject } from 'stalemate-apiserver/objects/object';
import { isEvent } from '../model/aside.ts';
import type { History } from '../model/history.ts';
import type { ExpectedState } from '../model/probe.ts';
import type { Difference } from './final-state.ts';
import { indexOf } from './history-index.ts';

/**
 * Returns the reason and message of the event with which fresh copies refuse the object, or an owner of it; undefined if one of them does
 * not, or has set what differs.
 */
export function refusalOf(
  history: History,
  outcomes: readonly ExpectedState[],
  { what, uid, expected }: Difference,
): string | undefined {
  if (what === 'missing-object' || expected !== undefined) return undefined;
  for (const object of withOwners(history, uid)) {
    const refusals = outcomes.map((outcome) => refusalIn(outcome, object));
    if (refusals.length > 0 && refusals.every((refusal) => refusal !== undefined)) return refusals[0];
  }
  return undefined;
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

function refusalIn(
  { objects }: ExpectedState,
  { kind, metadata: { name = '', namespace = '' } }: KubeObject,
): string | undefined {
  let refusal: string | undefined;
  for (const [key, object] of Object.entries(objects)) {
    const { ownerReferences = [] } = object.metadata;
    if (ownerReferences.some((owner) => owner.kind === kind && owner.name === name)) return undefined;
    if (!isEvent(key.slice(0, key.indexOf('/'))) || object['type'] !== 'Warning') continue;
    const about = mapOf(object['involvedObject'] ?? object['regarding']);
    if (textOf(about['kind']) !== kind || textOf(about['name']) !== name || textOf(about['namespace']) !== namespace)
      continue;
    refusal ??= `${textOf(object['reason'])}: ${textOf(object['message'] ?? object['note'])}`;
  }
  return refusal;
}
