/** What a fresh incarnation of the target changed after it took over at the end of a run. */
import { roleOf } from '../../model/actor.ts';
import type { History, Revision } from '../../model/history.ts';
import { diffLeaves, isServerLeaf } from '../../model/leaf.ts';
import type { ProbeResult } from '../../model/probe.ts';

/**
 * Returns the result of the probe `fresh-incarnation`: its writes, as far as they change something for good. Many targets write an
 * intermediate state when they start, such as a count of 0 before they have counted, and come back to what was there.
 */
export function freshWrites(run: History): ProbeResult {
  const since = run.processes.findLast((event) => event.kind === 'stopped')?.at ?? Number.POSITIVE_INFINITY;
  const later = run.revisions.filter(({ at }) => at > since);
  const written = [...Map.groupBy(later, ({ uid }) => uid).values()]
    .flatMap((versions) => lastingWrites(run, versions))
    .toSorted((a, b) => a.at - b.at);
  return {
    probe: 'fresh-incarnation',
    writes: written.map(({ text }) => text),
    paths: written.map(({ paths }) => paths),
    settled: run.settlement.result === 'quiescent',
  };
}

interface Write {
  readonly at: number;
  readonly text: string;
  readonly paths: readonly string[];
}

/** Returns the target's writes of one object without the leaves that end with the value that they had before. */
function lastingWrites(run: History, versions: readonly Revision[]): readonly Write[] {
  const [first, last] = [versions[0], versions.at(-1)];
  if (first === undefined || last === undefined || (first.type === 'ADDED' && last.type === 'DELETED')) return [];
  const changed = new Set(diffLeaves(first.before, last.object).map(({ path }) => path));
  return versions
    .filter(({ actor }) => roleOf(actor) === 'target')
    .map((revision) => describeWrite(run, revision, changed))
    .filter(({ paths }) => paths.length > 0);
}

/** Returns a write in one line, and the leaves that it changed: an empty path, which means all, if it created or deleted the object. */
function describeWrite(
  { operations, names }: History,
  { type, op, at, before, object, resource, uid, name }: Revision,
  changed: ReadonlySet<string>,
): Write {
  const verb = operations[op]?.verb ?? type;
  const changes = diffLeaves(before, object).filter(({ path }) => !isServerLeaf(path) && changed.has(path));
  const shown = changes.slice(0, 4).map(({ path, to }) => `${path}=${JSON.stringify(to ?? null)}`);
  const isWhole = type !== 'MODIFIED' || verb === 'delete' || verb === 'deletecollection';
  return {
    at,
    text: `${verb} ${resource}/${names[uid] ?? name} ${shown.join(' ')}`,
    paths: isWhole ? [''] : changes.map(({ path }) => path),
  };
}
