/** Volumes, claims and nodes, except for their defaults: protection finalizers, default classes, the taint of a new node. */
import { isList, isMap } from '../../objects/json.ts';
import type { JsonObject, JsonValue, KubeObject } from '../../objects/object.ts';
import { type Stored } from '../definition.ts';
import type { Hooks } from './hooks.ts';
import { mapIn } from './defaults/rules.ts';
import { fill, inMap, paired } from './fill.ts';
import { forbidClaim } from './limit-ranger.ts';
import { compareQuantities } from './quantity.ts';

/** Returns hooks that add a finalizer, which prevents deletion until it is removed. */
function protectedBy(finalizer: string, status?: (object: KubeObject) => JsonObject): Hooks {
  return {
    onCreate: (object) => {
      const { finalizers = [] } = object.metadata;
      const kept = finalizers.includes(finalizer) ? finalizers : [...finalizers, finalizer];
      const guarded: KubeObject = { ...object, metadata: { ...object.metadata, finalizers: kept } };
      return status === undefined ? guarded : { ...guarded, status: status(object) };
    },
  };
}

/** Returns the newest object of a resource that is marked as default; ties are broken by name. */
function markedDefault(stored: readonly KubeObject[], annotation: string): string | undefined {
  const marked = stored.filter(({ metadata }) => metadata.annotations?.[annotation] === 'true');
  const [newest] = marked.toSorted((a, b) => {
    const [x = '', y = ''] = [a.metadata.creationTimestamp, b.metadata.creationTimestamp];
    return x === y ? ((a.metadata.name ?? '') < (b.metadata.name ?? '') ? -1 : 1) : x < y ? 1 : -1;
  });
  return newest?.metadata.name;
}

function admitClaim(claim: JsonObject, stored: Stored): JsonObject {
  const annotated = mapIn(mapIn(claim, 'metadata'), 'annotations')['volume.beta.kubernetes.io/storage-class'];
  if (mapIn(claim, 'spec')['storageClassName'] !== undefined || annotated !== undefined) return claim;
  const storageClassName = markedDefault(
    stored('storageclasses.storage.k8s.io'),
    'storageclass.kubernetes.io/is-default-class',
  );
  return storageClassName === undefined ? claim : inMap(claim, 'spec', (spec) => fill(spec, { storageClassName }));
}

const NOT_EXPANDABLE =
  'only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize';

/** Returns why the PersistentVolumeClaimResize plugin refuses an update, if it does. */
function forbidExpansion(claim: KubeObject, old: KubeObject, stored: Stored): string | undefined {
  const [now, was] = [claim, old].map((one) => mapIn(mapIn(mapIn(one, 'spec'), 'resources'), 'requests')['storage']);
  if (now === undefined || compareQuantities(now, was ?? '0') <= 0) return undefined;
  if (mapIn(old, 'status')['phase'] !== 'Bound') return 'Only bound persistent volume claims can be expanded';
  const name = classOf(claim);
  const storageClass = stored('storageclasses.storage.k8s.io').find(({ metadata }) => metadata.name === name);
  const expands = name !== '' && name === classOf(old) && storageClass?.['allowVolumeExpansion'] === true;
  return expands ? undefined : NOT_EXPANDABLE;
}

function classOf(claim: KubeObject): JsonValue {
  const annotated = claim.metadata.annotations?.['volume.beta.kubernetes.io/storage-class'];
  return annotated ?? mapIn(claim, 'spec')['storageClassName'] ?? '';
}

function admitIngress(ingress: JsonObject, stored: Stored): JsonObject {
  const annotated = mapIn(mapIn(ingress, 'metadata'), 'annotations')['kubernetes.io/ingress.class'];
  if (mapIn(ingress, 'spec')['ingressClassName'] !== undefined || annotated !== undefined) return ingress;
  const ingressClassName = markedDefault(
    stored('ingressclasses.networking.k8s.io'),
    'ingressclass.kubernetes.io/is-default-class',
  );
  return ingressClassName === undefined ? ingress : inMap(ingress, 'spec', (spec) => fill(spec, { ingressClassName }));
}

const NOT_READY: JsonObject = { effect: 'NoSchedule', key: 'node.kubernetes.io/not-ready' };

/** Adds the not-ready taint to a new node. */
function admitNode(node: JsonObject): JsonObject {
  const spec = mapIn(node, 'spec');
  const taints = isList(spec['taints']) ? spec['taints'] : [];
  const tainted = taints.some(
    (taint) => isMap(taint) && taint['key'] === NOT_READY['key'] && taint['effect'] === NOT_READY['effect'],
  );
  return tainted ? node : { ...node, spec: { ...spec, taints: [...taints, NOT_READY] } };
}

/** Sets the last phase transition time of a volume unless the write sets it. */
function timedPhase(volume: KubeObject, old: KubeObject, now: string): KubeObject {
  const status = mapIn(volume, 'status');
  const before = mapIn(old, 'status');
  const { lastPhaseTransitionTime: given } = status;
  const { lastPhaseTransitionTime: was } = before;
  const same = status['phase'] === before['phase'];
  if (given !== undefined && (same || given !== was)) return volume;
  const lastPhaseTransitionTime = same ? was : now;
  return lastPhaseTransitionTime === undefined ? volume : { ...volume, status: { ...status, lastPhaseTransitionTime } };
}

/** Hooks by resource. */
export const STORAGE: { readonly [gr: string]: Hooks } = {
  persistentvolumeclaims: {
    ...protectedBy('kubernetes.io/pvc-protection', () => ({ phase: 'Pending' })),
    admit: admitClaim,
    forbid: forbidClaim,
    forbidChange: forbidExpansion,
    // The object is stored without the phase that it is read with.
    readsMore: () => true,
  },
  persistentvolumes: {
    ...protectedBy('kubernetes.io/pv-protection', ({ metadata }) => ({
      phase: 'Pending',
      lastPhaseTransitionTime: metadata.creationTimestamp ?? '',
    })),
    onStatus: timedPhase,
  },
  'volumeattributesclasses.storage.k8s.io': protectedBy('kubernetes.io/vac-protection'),
  'ingresses.networking.k8s.io': {
    admit: admitIngress,
    onCreate: (object) => ({ ...object, status: { loadBalancer: {} } }),
  },
  nodes: {
    keepsStatus: true,
    admit: admitNode,
    converted: (node) => paired(node, 'spec', 'podCIDR', 'podCIDRs', (one) => one),
    normalise: (node) => paired(node, 'spec', 'podCIDR', 'podCIDRs', (one) => one),
  },
};
