/**
 * Scheduler and kubelet of one node without containers: the node reports its resources, and pods are bound, become ready, complete if they
 * belong to a Job, and are removed when deleted.
 */
import type { JsonObject, KubeObject } from 'stalemate-apiserver/objects/object';
import type { WorkResult } from '../work-queue.ts';
import { withConditions, type Api } from './api.ts';
import { podAddress } from './pod-address.ts';
import { isReady, isTrue, phaseOf } from './pods.ts';
import { mapAt, numberAt } from './view.ts';

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

const NOT_READY = 'node.kubernetes.io/not-ready';

/**
 * Removes the taint that the API server gives a new node, and makes extended resources in the node's capacity allocatable too: other clients
 * add them only to the capacity.
 */
export async function reconcileNode(api: Api, live: KubeObject): Promise<WorkResult> {
  const { taints = [] } = mapAt(live, 'spec') as { readonly taints?: readonly JsonObject[] };
  const left = taints.filter((taint) => taint['key'] !== NOT_READY);
  if (left.length < taints.length) return api.patch(live, { spec: { taints: left } });
  const have = mapAt(live, 'status', 'capacity');
  const may = mapAt(live, 'status', 'allocatable');
  const gone = Object.keys(may).filter((key) => isExtended(key) && have[key] === undefined);
  const added = Object.entries(have).filter(([key, value]) => isExtended(key) && may[key] !== value);
  const changes: JsonObject = { ...Object.fromEntries(gone.map((key) => [key, null])), ...Object.fromEntries(added) };
  if (Object.keys(changes).length === 0) return 'done';
  return api.patch(live, { status: { allocatable: changes } }, 'status');
}

export function isOnNode(pod: KubeObject): boolean {
  return mapAt(pod, 'spec')['nodeName'] === NODE_NAME;
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
  if (!isOnNode(pod)) return undefined;
  // Another client may report a phase, but not for the kubelet.
  if (phase !== 'Running' || !isReported(pod)) return 'start';
  return ownerReferences?.some((owner) => owner.kind === 'Job' && owner.controller === true) === true
    ? 'finish'
    : undefined;
}

/** Reports whether the status of a pod is what the kubelet reports of its current spec and readiness gates. */
function isReported(pod: KubeObject): boolean {
  const { hostIP } = mapAt(pod, 'status');
  const isCurrent = numberAt(pod, 0, 'status', 'observedGeneration') >= (pod.metadata.generation ?? 1);
  return hostIP !== undefined && isCurrent && (gatesOf(pod).length === 0 || isReady(pod) === isLetThrough(pod));
}

function gatesOf(pod: KubeObject): readonly JsonObject[] {
  const { readinessGates } = mapAt(pod, 'spec');
  return Array.isArray(readinessGates) ? (readinessGates as readonly JsonObject[]) : [];
}

/** Reports whether the conditions of all readiness gates, which other clients set, are true. */
function isLetThrough(pod: KubeObject): boolean {
  return gatesOf(pod).every((gate) => isTrue(pod, gate['conditionType']));
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

function running(pod: KubeObject, now: string): JsonObject {
  const { startTime = now } = mapAt(pod, 'status');
  const ip = podAddress(pod);
  const ready = isLetThrough(pod);
  const conditions = CONDITIONS.map((type) => {
    const waits =
      type === 'Ready' && !ready ? { status: 'False', reason: 'ReadinessGatesNotReady' } : { status: 'True' };
    return { type, lastProbeTime: null, ...waits };
  });
  return {
    phase: 'Running',
    hostIP: ADDRESS,
    hostIPs: [{ ip: ADDRESS }],
    podIP: ip,
    podIPs: [{ ip }],
    startTime,
    observedGeneration: pod.metadata.generation ?? 1,
    conditions: withConditions(pod, conditions, now),
    containerStatuses: containerStatuses(pod, true, { running: { startedAt: now } }),
  };
}

/** Returns the status that a scheduler gives a pod that it cannot bind. */
export function unschedulable(pod: KubeObject, message: string, now: string): JsonObject {
  const condition = { type: 'PodScheduled', status: 'False', reason: 'Unschedulable', lastProbeTime: null, message };
  return { conditions: withConditions(pod, [condition], now) };
}

function finished(pod: KubeObject, now: string): JsonObject {
  const startedAt = (mapAt(pod, 'status')['startTime'] as string | undefined) ?? now;
  const conditions = CONDITIONS.map((type) => {
    const holds = type === 'Initialized' || type === 'PodScheduled';
    const why = holds ? {} : { reason: 'PodCompleted' };
    return { type, status: holds ? 'True' : 'False', lastProbeTime: null, ...why };
  });
  return {
    phase: 'Succeeded',
    conditions: withConditions(pod, conditions, now),
    containerStatuses: containerStatuses(pod, false, {
      terminated: { exitCode: 0, reason: 'Completed', startedAt, finishedAt: now },
    }),
  };
}

/** Returns the statuses of the containers; one that still runs the same image stays as it is. */
function containerStatuses(pod: KubeObject, runs: boolean, state: JsonObject): readonly JsonObject[] {
  const before = (mapAt(pod, 'status')['containerStatuses'] ?? []) as readonly JsonObject[];
  return containersOf(pod).map(({ name, image }) => {
    const same = before.find((one) => one['name'] === name && one['image'] === image && one['started'] === true);
    if (runs && same !== undefined) return same;
    return {
      name,
      image,
      imageID: '',
      containerID: `stalemate://${name}`,
      ready: runs,
      started: runs,
      restartCount: 0,
      lastState: {},
      state,
    };
  });
}
