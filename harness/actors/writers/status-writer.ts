/**
 * Another client that writes status: a condition of its own, a status field that the target leaves alone, or what the kubelet and the
 * workload controllers would report for the target's children.
 */
import { groupResource, type JsonObject, type JsonValue } from 'stalemate-apiserver/objects/object';
import type { ProgramOp } from '../../model/workload.ts';
import { asMap, asNumber, isImmutable, otherScalars, propertySchema } from '../../schedule/workload/schema-view.ts';
import type { AdversarialWriter, AimObject } from '../../schedule/workload/writer.ts';
import { CONDITIONS, conditionFor } from './conditions.ts';
import { appendOp, contestedAt, inStyles, isOwned, oneOf, setOp } from './moves.ts';
import type { Move } from './moves.ts';

const NAME = 'status-writer';
const TYPE = 'Audited';
/** In the block of addresses for tests of networks. */
const POD_IP = '198.18.0.1';

export const statusWriter: AdversarialWriter = {
  name: NAME,
  about: 'puts a condition or field of its own into the status of objects that the target reads or writes',
  contests: contestedAt('status'),
  ops: (aim) => oneOf(aim.objects.flatMap((object) => (object.hasStatus ? statusMoves(object) : []))),
};

function statusMoves(aim: AimObject): readonly Move[] {
  return [...conditionMoves(aim), ...(aim.schema === undefined ? reportMoves(aim) : fieldMoves(aim))];
}

function conditionMoves(aim: AimObject): readonly Move[] {
  const yes = conditionFor(aim, TYPE, 'True', NAME);
  const no = conditionFor(aim, TYPE, 'False', NAME);
  if (yes === undefined || no === undefined) return [];
  const append = (item: JsonValue): ProgramOp => appendOp(aim, CONDITIONS, item, 'status');
  return [[append(yes)], [append(yes), append(no)]];
}

/** Returns moves that set scalars of a custom resource's status that the target never changes. */
function fieldMoves(aim: AimObject): readonly Move[] {
  const status = aim.schema === undefined ? undefined : propertySchema(aim.schema, 'status');
  if (status === undefined) return [];
  return Object.keys(asMap(status['properties']) ?? {}).flatMap((key) => {
    const path = ['status', key];
    const schema = propertySchema(status, key) ?? {};
    if (key === 'observedGeneration' || isOwned(aim, path) || isImmutable(schema)) return [];
    const [value] = otherScalars(schema, asMap(aim.object['status'])?.[key]);
    if (value === undefined) return [];
    return inStyles(aim.object, path, (via) => [setOp(aim, path, value, via, 'status')]);
  });
}

/** Returns what a kubelet reports of a pod that runs, in one write: clients rely on the statuses of containers in a running pod. */
function running({ object }: AimObject): JsonObject {
  const { containers = [] } = (asMap(object['spec']) ?? {}) as { readonly containers?: readonly JsonObject[] };
  return {
    phase: 'Running',
    podIP: POD_IP,
    podIPs: [{ ip: POD_IP }],
    containerStatuses: containers.map(({ name = '', image = '' }) => ({
      ...{ name, image, imageID: '', ready: true, started: true, restartCount: 0 },
      state: { running: {} },
    })),
  };
}

/** Returns writes of the status of built-in kinds as the cluster's own controllers make them: the first, the first two, and so on. */
function reportMoves(aim: AimObject): readonly Move[] {
  const replicas = asNumber(asMap(aim.object['spec'])?.['replicas']) ?? 1;
  const counts = (...keys: readonly string[]): Move =>
    keys
      .filter((key) => !isOwned(aim, ['status', key]))
      .map((key) => setOp(aim, ['status', key], replicas, 'merge-patch', 'status'));
  let report: Move = [];
  switch (groupResource(aim.target)) {
    case 'deployments.apps':
    case 'replicasets.apps':
    case 'statefulsets.apps':
      report = counts('replicas', 'readyReplicas', 'availableReplicas');
      break;
    case 'pods':
      // A kubelet that runs the pod has reported more.
      if (!isOwned(aim, ['status']) && asMap(aim.object['status'])?.['podIP'] === undefined)
        report = [setOp(aim, ['status'], running(aim), 'merge-patch', 'status')];
      break;
  }
  return report.map((_, index) => report.slice(0, index + 1));
}
