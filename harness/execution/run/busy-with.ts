/** Describes what a target was busy with in a run that never came to rest. */
import { roleOf } from '../../model/actor.ts';
import { phaseStart, type History } from '../../model/history.ts';

/**
 * Returns, for example, `to the end, the target was busy with update widgets.example.com/a (41 times after the disturbance)`; undefined for
 * a run that came to rest.
 */
export function busyWith(history: History): string | undefined {
  const { settlement } = history;
  if (settlement.result === 'quiescent' || settlement.result === 'never-started') return undefined;
  if (settlement.result === 'cut-short') return undefined;
  const most = mostlySince(history, phaseStart(history, 'settle'));
  return most === undefined
    ? undefined
    : `to the end, the target was busy with ${most.what} (${most.times} after the disturbance)`;
}

/** Returns what a target was busy with in an undisturbed run that ran out of time. */
export function busyUntilCut(history: History): string {
  const most = mostlySince(history, 0);
  const phase = history.phases.at(-1)?.phase ?? 'setup';
  const busy = most === undefined ? 'had sent no request' : `was busy with ${most.what} (${most.times})`;
  return `when the last one was cut short, in its phase "${phase}", the target ${busy}`;
}

/** Returns the target's most frequent request and its count. */
function mostlySince(
  { operations }: History,
  since: number,
): { readonly what: string; readonly times: string } | undefined {
  const counts = new Map<string, number>();
  for (const { actor, verb, resource, name, invoked } of operations) {
    if (roleOf(actor) !== 'target' || verb === 'watch' || !(invoked.at >= since)) continue;
    const what = `${verb} ${resource}${name === '' ? '' : `/${name}`}`;
    counts.set(what, (counts.get(what) ?? 0) + 1);
  }
  const [most] = [...counts].sort(([a, one], [b, other]) => other - one || (a < b ? -1 : 1));
  if (most === undefined) return undefined;
  const [what, count] = most;
  return { what, times: count === 1 ? 'once' : `${count} times` };
}
