/** Interprets the status of one of a pod's containers. Start at {@link stateOf}. */
import { constants } from 'node:os';
import { isMap, mapOf, mapsOf, textOf } from 'stalemate-apiserver/objects/json';
import type { JsonObject, KubeObject } from 'stalemate-apiserver/objects/object';

export type ContainerState =
  | { readonly is: 'waiting' }
  /** The container does not run, and waiting is pointless. */
  | { readonly is: 'failing'; readonly why: string }
  /** `container`: its id. */
  | { readonly is: 'running'; readonly container: string }
  | { readonly is: 'ended'; readonly container: string; readonly how: string };

/** Reasons for waiting that go away by themselves. */
const PATIENT = new Set(['', 'ContainerCreating', 'PodInitializing']);

export function stateOf(pod: KubeObject, name: string): ContainerState {
  const status = mapOf(pod['status']);
  const all = mapsOf(status['containerStatuses']);
  for (const one of [...mapsOf(status['initContainerStatuses']), ...all]) {
    const why = waitingReason(one);
    if (why !== undefined) return { is: 'failing', why };
  }
  const own = all.find((one) => one['name'] === name);
  const { running, terminated } = mapOf(own?.['state']);
  const container = textOf(own?.['containerID']).replace(/^.*:\/\//, '');
  if (isMap(terminated) && container !== '') return { is: 'ended', container, how: endOf(terminated) };
  if (isMap(running) && container !== '') return { is: 'running', container };
  if (status['phase'] !== 'Failed') return { is: 'waiting' };
  const reason = textOf(status['reason']);
  return { is: 'failing', why: `its pod failed: ${[reason, textOf(status['message'])].filter(Boolean).join(': ')}` };
}

function waitingReason(status: JsonObject): string | undefined {
  const { reason, message } = mapOf(mapOf(status['state'])['waiting']);
  if (PATIENT.has(textOf(reason))) return undefined;
  return `its container "${textOf(status['name'])}" does not start (${textOf(reason)}: ${textOf(message)})`;
}

/** Returns `with code 1` or `by SIGKILL`, and the kubelet's reason. */
function endOf(terminated: JsonObject): string {
  const code = Number(terminated['exitCode'] ?? 0);
  const signal = Object.entries(constants.signals).find(([, number]) => number === code - 128)?.[0];
  const reason = textOf(terminated['reason']);
  const more = reason === '' || reason === 'Error' || reason === 'Completed' ? '' : ` (${reason})`;
  return `${signal === undefined ? `with code ${code}` : `by ${signal}`}${more}`;
}
