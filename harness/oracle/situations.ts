/**
 * The situations that occurred in a run: coverage of a search, as text that can be compared between runs, machines and nightly soaks.
 *
 * A situation is one request of any actor: the actor, the verb, the kind, how stale its input was, and the outcome. Owns: when two
 * situations are equal. Does not own: their use (`execution/soak`).
 */
import { roleOf } from '../model/actor.ts';
import { isWrite, phaseStart, type History, type Operation } from '../model/history.ts';
import { versionsBehind } from './contention.ts';

/** Returns the distinct situations since contention began, without watches, such as `target update deployments.apps behind:2-3 409`. */
export function situationsOf(history: History): ReadonlySet<string> {
  const since = phaseStart(history, 'contention');
  const situations = new Set<string>();
  for (const operation of history.operations) {
    const { actor, verb, invoked, resource, subresource } = operation;
    if (invoked.at < since || verb === 'watch') continue;
    const role = roleOf(actor);
    const kind = subresource === '' ? resource : `${resource}/${subresource}`;
    const age = role === 'target' && isWrite(verb) ? ` behind:${bucketOf(versionsBehind(history, operation))}` : '';
    situations.add(`${role} ${verb} ${kind}${age} ${outcomeText(operation)}`);
  }
  return situations;
}

/** Returns the bucket of a number: 0, 1, 2-3, 4-7 or 8+. */
function bucketOf(behind: number): string {
  if (behind < 2) return String(behind);
  if (behind < 4) return '2-3';
  return behind < 8 ? '4-7' : '8+';
}

function outcomeText({ outcome }: Operation): string {
  return 'code' in outcome ? String(outcome.code) : outcome.type;
}
