/** What a target was busy with in a run that never came to rest. */
import { roleOf } from '../../model/actor.ts';
import { phaseStart, type History } from '../../model/history.ts';

/** `the target was busy to the end with update widgets.example.com/a (41 times)`; undefined for a run that came to rest. */
export function busyWith(history: History): string | undefined {
  const { settlement, operations } = history;
  if (settlement.result === 'quiescent' || settlement.result === 'never-started') return undefined;
  if (settlement.result === 'cut-short') return undefined;
  const since = phaseStart(history, 'settle');
  const counts = new Map<string, number>();
  for (const { actor, verb, resource, name, invoked } of operations) {
    if (roleOf(actor) !== 'target' || verb === 'watch' || !(invoked.at >= since)) continue;
    const what = `${verb} ${resource}${name === '' ? '' : `/${name}`}`;
    counts.set(what, (counts.get(what) ?? 0) + 1);
  }
  const [most] = [...counts].sort(([a, one], [b, other]) => other - one || (a < b ? -1 : 1));
  if (most === undefined) return undefined;
  const [what, count] = most;
  return `to the end, the target was busy with ${what} (${count === 1 ? 'once' : `${count} times`} after the disturbance)`;
}
