/**
 * Scheduler and kubelet of one node without containers: the node reports its resources, and pods are bound, become ready, complete if they
 * belong to a Job, and are removed when deleted.
 */
import type { JsonObject, KubeObject } from 'stalemate-apiserver/objects/object';
import type { WorkResult } from '../work-queue.ts';
import type { Api } from './api.ts';
import { phaseOf } from './pods.ts';
import { mapAt } from './view.ts';

export const NODE_NAME = 'stalemate-node';
const ADDRESS = '192.0.2.1';

/**
 * Returns the node that all pods run on, with everything that a kubelet and the node controllers set: some clients rely on the annotations.
 */
export function node(now: string): KubeObject {
  const ready = { type: 'Ready', status: 'True', reason: 'KubeletReady', message: 'kubelet is posting ready status' };
  const capacity = { cpu: '64', memory: '256Gi', pods: '10000' };
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      name: NODE_NAME,
      labels: { 'kubernetes.io/arch': 'amd64', 'kubernetes.io/hostname': NODE_NAME, 'kubernetes.io/os': 'linux' },
      annotations: {
        'node.alpha.kubernetes.io/ttl': '0',
        'volumes.kubernetes.io/controller-managed-attach-detach': 'true',
      },
    },
    spec: {},
    status: {
      capacity,
      allocatable: capacity,
      addresses: [{ type: 'InternalIP', address: ADDRESS }],
      conditions: [{ ...ready, lastHeartbeatTime: now, lastTransitionTime: now }],
    },
  };
}

/** Reports whether a resource is an extended one, such as `example.com/gpu`. */
function isExtended(resource: string): boolean {
  return resource.includes('/');
}

/** Makes extended resources in the node's capacity allocatable too: other clients add them only to the capacity. */
export async function reconcileNode(api: Api, live: KubeObject): Promise<WorkResult> {
  const have = mapAt(live, 'status', 'capacity');
  const may = mapAt(live, 'status', 'allocatable');
  const gone = Object.keys(may).filter((key) => isExtended(key) && have[key] === undefined);
  const added = Object.entries(have).filter(([key, value]) => isExtended(key) && may[key] !== value);
  const changes: JsonObject = { ...Object.fromEntries(gone.map((key) => [key, null])), ...Object.fromEntries(added) };
  if (Object.keys(changes).length === 0) return 'done';
  return api.patch(live, { status: { allocatable: changes } }, 'status');
}

/** Returns the next step of a pod; undefined if there is none. */
export function nextOfPod(pod: KubeObject): 'bind' | 'start' | 'finish' | 'stop' | undefined {
  const { nodeName } = mapAt(pod, 'spec');
  const phase = phaseOf(pod);
  const { deletionTimestamp, deletionGracePeriodSeconds, finalizers = [], ownerReferences } = pod.metadata;
  if (deletionTimestamp !== undefined)
    return nodeName === undefined || (finalizers.length > 0 && deletionGracePeriodSeconds === 0) ? undefined : 'stop';
  if (phase === 'Succeeded' || phase === 'Failed') return undefined;
  if (nodeName === undefined) return isGated(pod) ? undefined : 'bind';
  if (nodeName !== NODE_NAME) return undefined;
  if (phase !== 'Running') return 'start';
  return ownerReferences?.some((owner) => owner.kind === 'Job' && owner.controller === true) === true
    ? 'finish'
    : undefined;
}

export async function reconcilePod(api: Api, pod: KubeObject): Promise<WorkResult> {
  switch (nextOfPod(pod)) {
    case 'bind':
      return api.bind(pod, NODE_NAME);
    case 'start':
      return api.report(pod, running(pod, api.timestamp()));
    case 'finish':
      return api.report(pod, finished(pod, api.timestamp()));
    case 'stop':
      return api.delete(pod, 0);
    case undefined:
      return 'done';
  }
}

function isGated(pod: KubeObject): boolean {
  const { schedulingGates } = mapAt(pod, 'spec');
  return Array.isArray(schedulingGates) && schedulingGates.length > 0;
}

const CONDITIONS = ['PodReadyToStartContainers', 'Initialized', 'Ready', 'ContainersReady', 'PodScheduled'] as const;

function containersOf(pod: KubeObject): readonly { readonly name: string; readonly image: string }[] {
  const { containers } = mapAt(pod, 'spec');
  return Array.isArray(containers) ? (containers as readonly { readonly name: string; readonly image: string }[]) : [];
}

function running(pod: KubeObject, now: string): { readonly [key: string]: KubeObject[string] } {
  const ip = `198.18.${hashByte(pod, 0)}.${hashByte(pod, 1)}`;
  return {
    phase: 'Running',
    hostIP: ADDRESS,
    hostIPs: [{ ip: ADDRESS }],
    podIP: ip,
    podIPs: [{ ip }],
    startTime: now,
    observedGeneration: pod.metadata.generation ?? 1,
    conditions: CONDITIONS.map((type) => ({ type, status: 'True', lastTransitionTime: now, lastProbeTime: null })),
    containerStatuses: containerStatuses(pod, true, { running: { startedAt: now } }),
  };
}

function finished(pod: KubeObject, now: string): { readonly [key: string]: KubeObject[string] } {
  const startedAt = (mapAt(pod, 'status')['startTime'] as string | undefined) ?? now;
  return {
    phase: 'Succeeded',
    conditions: CONDITIONS.map((type) => {
      const holds = type === 'Initialized' || type === 'PodScheduled';
      const why = holds ? {} : { reason: 'PodCompleted' };
      return { type, status: holds ? 'True' : 'False', lastTransitionTime: now, lastProbeTime: null, ...why };
    }),
    containerStatuses: containerStatuses(pod, false, {
      terminated: { exitCode: 0, reason: 'Completed', startedAt, finishedAt: now },
    }),
  };
}

function containerStatuses(pod: KubeObject, runs: boolean, state: JsonObject): readonly JsonObject[] {
  return containersOf(pod).map(({ name, image }) => ({
    name,
    image,
    imageID: '',
    containerID: `stalemate://${name}`,
    ready: runs,
    started: runs,
    restartCount: 0,
    lastState: {},
    state,
  }));
}

/** Returns a byte of a hash of the pod's uid, so that addresses differ between pods but not between runs. */
function hashByte(pod: KubeObject, index: number): number {
  const hex = (pod.metadata.uid ?? '').replaceAll(/[^0-9a-f]/g, '');
  return Number.parseInt(hex.slice(index * 2, index * 2 + 2), 16) || 0;
}
