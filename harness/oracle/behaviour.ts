/**
 * A hash of the target's behaviour in a run: in runs with different hashes, the target behaved differently.
 *
 * Owns: what counts as a difference. Ten thousand runs with the same behaviour prove little more than one.
 */
import { roleOf } from '../model/actor.ts';
import type { History, Operation } from '../model/history.ts';
import { phaseStart } from '../model/history.ts';

/**
 * Returns a hash of the target's requests since contention began, in order: verb, kind and outcome of each. Names, contents and times are
 * ignored. Cheap, because it is computed for every run.
 */
export function behaviourOf(history: History): number {
  const since = phaseStart(history, 'contention');
  // FNV-1a: it distinguishes runs and needs no security.
  let hash = 0x811c9dc5;
  for (const operation of history.operations) {
    const { actor, invoked } = operation;
    if (invoked.at < since || roleOf(actor) !== 'target') continue;
    const text = wordOf(operation);
    for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193) >>> 0;
  }
  return hash;
}

/** Returns the hashed text for one request. It includes the target's incarnation: `controller`, or a later one after a crash. */
function wordOf({ actor, verb, resource, subresource, outcome }: Operation): string {
  const came = 'code' in outcome ? String(outcome.code) : outcome.type;
  return `${actor} ${verb} ${resource}/${subresource} ${came}\n`;
}
