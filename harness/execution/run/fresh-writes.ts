/** What a fresh incarnation of the target changed after it took over at the end of a run. */
import { roleOf } from '../../model/actor.ts';
import type { History, Revision } from '../../model/history.ts';
import { diffLeaves, isServerLeaf } from '../../model/leaf.ts';
import type { ProbeResult } from '../../model/probe.ts';

/** Returns the result of the probe `fresh-incarnation`. */
export function freshWrites(run: History): ProbeResult {
  const since = run.processes.findLast((event) => event.kind === 'stopped')?.at ?? Number.POSITIVE_INFINITY;
  const written = run.revisions.filter((revision) => revision.at > since && roleOf(revision.actor) === 'target');
  return {
    probe: 'fresh-incarnation',
    writes: written.map((revision) => describeWrite(run, revision)),
    paths: written.map((revision) => changedPaths(run, revision)),
    settled: run.settlement.result === 'quiescent',
  };
}

/** Returns the leaves that a write changed; an empty path, which stands for all, if it created or deleted the object. */
function changedPaths({ operations }: History, { type, op, before, object }: Revision): readonly string[] {
  const verb = operations[op]?.verb;
  if (type !== 'MODIFIED' || verb === 'delete' || verb === 'deletecollection') return [''];
  return diffLeaves(before, object)
    .map(({ path }) => path)
    .filter((path) => !isServerLeaf(path));
}

function describeWrite(history: History, revision: Revision): string {
  const verb = history.operations[revision.op]?.verb ?? revision.type;
  const changes = diffLeaves(revision.before, revision.object)
    .filter((change) => !isServerLeaf(change.path))
    .map((change) => `${change.path}=${JSON.stringify(change.to ?? null)}`);
  return `${verb} ${revision.resource}/${history.names[revision.uid] ?? revision.name} ${changes.slice(0, 4).join(' ')}`;
}
