/**
 * The stored form of the passing run next to a failing one, without what the two have in common.
 *
 * Two runs of one workload are identical until they diverge. Of each list, only the entries after the divergence are stored, and objects
 * that also occur in the failing run are referenced by its keys.
 */
import { z } from 'zod';
import { jsonEqual } from 'stalemate-apiserver/objects/json';
import type { JsonValue, KubeObject } from 'stalemate-apiserver/objects/object';
import type { Neighbour } from '../../model/finding.ts';
import { HarnessError } from '../../model/errors.ts';
import { jsonObject, type Shape } from './common.ts';
import type { Format } from './format.ts';
import { packHistory, unpackHistory } from './history.ts';
import { historyParts, type StoredHistory } from './history-schema.ts';
import { ObjectTableWriter, type ObjectKey } from './object-table.ts';

const SHARED = ['operations', 'revisions'] as const;

export interface StoredNeighbour extends Pick<StoredHistory, 'settlement' | 'steps' | 'phases' | 'names' | 'missed'> {
  readonly version: 1;
  readonly kind: 'neighbour';
  readonly without: string;
  /** The number of entries of the failing run that come before the stored ones, because both runs share them. */
  readonly shared: { readonly operations: number; readonly revisions: number };
  readonly operations: StoredHistory['operations'];
  readonly revisions: StoredHistory['revisions'];
  /** Objects that do not occur in the failing run. */
  readonly objects: { readonly [key: ObjectKey]: KubeObject };
}

export const NEIGHBOUR: Format<StoredNeighbour> = {
  kind: 'neighbour',
  version: 1,
  schema: z
    .strictObject({
      version: z.literal(1),
      kind: z.literal('neighbour'),
      without: z.string().meta({ description: 'The deviation that was left out' }),
      shared: z
        .strictObject({ operations: z.int().min(0), revisions: z.int().min(0) })
        .meta({ description: 'So many of the first entries are those of "history"' }),
      settlement: historyParts.settlement,
      steps: z.number(),
      missed: historyParts.missed,
      phases: historyParts.phases,
      operations: historyParts.operations,
      revisions: historyParts.revisions,
      names: historyParts.names,
      objects: z.record(z.string(), jsonObject as z.ZodType<KubeObject>),
    } satisfies Shape<StoredNeighbour>)
    .meta({ id: 'Neighbour', description: 'The same run without one deviation, which passes' }),
  upgrades: [],
};

/** @param beside - The failing run, as stored. */
export function packNeighbour({ without, history }: Neighbour, beside: StoredHistory): StoredNeighbour {
  const packed = packHistory(history, new ObjectTableWriter(beside.objects));
  const { settlement, steps, missed, phases, names, operations, revisions } = packed;
  const shared = {
    operations: sameFirst(operations, beside.operations),
    revisions: sameFirst(revisions, beside.revisions),
  };
  return {
    version: 1,
    kind: 'neighbour',
    without,
    shared,
    settlement,
    steps,
    missed,
    phases,
    operations: operations.slice(shared.operations),
    revisions: revisions.slice(shared.revisions),
    names,
    objects: Object.fromEntries(Object.entries(packed.objects).filter(([key]) => !Object.hasOwn(beside.objects, key))),
  };
}

/** @throws {FORMAT_INVALID} if `stored` claims more shared entries than the failing run has. */
export function unpackNeighbour(stored: StoredNeighbour, beside: StoredHistory, source: string): Neighbour {
  const { without, shared, settlement, steps, missed, phases, names } = stored;
  for (const list of SHARED) {
    if (shared[list] <= beside[list].length) continue;
    throw new HarnessError(
      'FORMAT_INVALID',
      `"${source}" is not a valid record: at neighbour.shared.${list}: expected at most ${beside[list].length}, ` +
        `as "history" has, found ${shared[list]}; copy the file again from where it was written`,
      { details: { source } },
    );
  }
  const history: StoredHistory = {
    version: 1,
    kind: 'history',
    settlement,
    steps,
    missed,
    phases,
    decisions: [],
    operations: [...beside.operations.slice(0, shared.operations), ...stored.operations],
    revisions: [...beside.revisions.slice(0, shared.revisions), ...stored.revisions],
    deliveries: [],
    streamEnds: [],
    processes: [],
    names,
    probes: [],
    objects: { ...beside.objects, ...stored.objects },
  };
  return { without, history: unpackHistory(history, source) };
}

function sameFirst(ours: readonly unknown[], theirs: readonly unknown[]): number {
  const parted = ours.findIndex((entry, at) => !jsonEqual(entry as JsonValue, theirs[at] as JsonValue));
  return parted < 0 ? ours.length : parted;
}
