/**
 * A client that sets a field that the target leaves alone, on an object that the target writes: a data key, a restart annotation in a pod
 * template, a tuning parameter.
 *
 * For built-in kinds there is a short list of fields that any third party may change at any time; for custom kinds the schema is used.
 */
import { groupResource } from 'stalemate-apiserver/objects/object';
import { valueAt } from '../../model/edit.ts';
import type { AdversarialWriter, AimObject } from '../../schedule/workload/writer.ts';
import { inStyles, isOwned, oneOf, schemaFields, setOp } from './moves.ts';
import type { Field, Move } from './moves.ts';

const RESTARTED_AT: Field = [
  ['spec', 'template', 'metadata', 'annotations', 'stalemate.dev/restarted-at'],
  ['2026-01-01T00:00:00Z'],
];
const MIN_READY: Field = [
  ['spec', 'minReadySeconds'],
  [5, 6],
];
const HISTORY: Field = [
  ['spec', 'revisionHistoryLimit'],
  [3, 4],
];
const REPLICAS: Field = [
  ['spec', 'replicas'],
  [3, 4],
];

/** Mutable fields of built-in kinds that tools and people set on other clients' objects. */
const FIELDS: { readonly [resource: string]: readonly Field[] | undefined } = {
  configmaps: [[['data', 'stalemate'], ['foreign-field-writer']]],
  secrets: [[['data', 'stalemate'], ['Zm9yZWlnbi1maWVsZC13cml0ZXI=']]],
  'deployments.apps': [RESTARTED_AT, REPLICAS, MIN_READY, HISTORY],
  'statefulsets.apps': [RESTARTED_AT, REPLICAS, MIN_READY, HISTORY],
  'daemonsets.apps': [RESTARTED_AT, MIN_READY, HISTORY],
  'replicasets.apps': [REPLICAS, MIN_READY],
  services: [
    [
      ['spec', 'publishNotReadyAddresses'],
      [true, false],
    ],
  ],
  serviceaccounts: [[['automountServiceAccountToken'], [false, true]]],
  'jobs.batch': [
    [
      ['spec', 'activeDeadlineSeconds'],
      [3600, 3601],
    ],
  ],
  'cronjobs.batch': [
    [
      ['spec', 'startingDeadlineSeconds'],
      [300, 301],
    ],
  ],
  pods: [[['spec', 'activeDeadlineSeconds'], [3600]]],
};

export const foreignFieldWriter: AdversarialWriter = {
  name: 'foreign-field-writer',
  about: 'sets a spec or data field that the target leaves alone, of an object that it writes',
  ops: (aim) => oneOf(aim.objects.flatMap(foreignMoves)),
};

function foreignMoves(aim: AimObject): readonly Move[] {
  // Only objects that the target writes qualify: the user owns the spec of a sample.
  if (aim.relation !== 'created-by-target' && aim.relation !== 'written') return [];
  if (aim.object['immutable'] === true) return [];
  const fields = aim.schema === undefined ? (FIELDS[groupResource(aim.target)] ?? []) : schemaFields(aim);
  return fields.flatMap(([path, values]) => {
    const current = valueAt(aim.object, path);
    const [value, other] = values.filter((candidate) => candidate !== current);
    if (value === undefined || isOwned(aim, path)) return [];
    const once = inStyles(aim.object, path, (via) => [setOp(aim, path, value, via)]);
    const back = other ?? current;
    return back === undefined ? once : [...once, [setOp(aim, path, value, 'update'), setOp(aim, path, back, 'update')]];
  });
}
