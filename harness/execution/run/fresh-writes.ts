/** What a fresh incarnation of the target changed after it took over at the end of a run. */
import { roleOf } from '../../model/actor.ts';
import type { History, Revision } from '../../model/history.ts';
import { diffLeaves, isServerLeaf } from '../../model/leaf.ts';
import type { ProbeResult } from '../../model/probe.ts';

/** Returns the result of the probe `fresh-incarnation`. */
export function freshWrites(run: History): ProbeResult {
  const since = run.processes.findLast((event) => event.kind === 'stopped')?.at ?? Number.POSITIVE_INFINITY;
  const written = run.revisions
    .filter((revision) => revision.at > since && roleOf(revision.actor) === 'target')
    .map((revision) => describeWrite(run, revision));
  return {
    probe: 'fresh-incarnation',
    writes: written.map(({ text }) => text),
    paths: written.map(({ paths }) => paths),
    settled: run.settlement.result === 'quiescent',
  };
}

/** Returns a write in one line, and the leaves that it changed: an empty path, which means all, if it created or deleted the object. */
function describeWrite(
  { operations, names }: History,
  { type, op, before, object, resource, uid, name }: Revision,
): { readonly text: string; readonly paths: readonly string[] } {
  const verb = operations[op]?.verb ?? type;
  const changes = diffLeaves(before, object).filter(({ path }) => !isServerLeaf(path));
  const shown = changes.slice(0, 4).map(({ path, to }) => `${path}=${JSON.stringify(to ?? null)}`);
  const isWhole = type !== 'MODIFIED' || verb === 'delete' || verb === 'deletecollection';
  return {
    text: `${verb} ${resource}/${names[uid] ?? name} ${shown.join(' ')}`,
    paths: isWhole ? [''] : changes.map(({ path }) => path),
  };
}
