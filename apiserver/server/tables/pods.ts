/** The cells of pods: readiness, and the STATUS column. */
import type { JsonObject, KubeObject } from '../../objects/object.ts';
import { since } from './age.ts';
import { at, items, maps, number, text, type Cell } from './reading.ts';

/** Returns a pod's row, wide columns included. */
export function podCells(pod: KubeObject, now: number): readonly Cell[] {
  const { ready, total, reason, restarts, restarted } = stateOf(pod);
  const shownRestarts =
    restarts === 0 || restarted === '' ? String(restarts) : `${restarts} (${since(restarted, now)} ago)`;
  return [
    pod.metadata.name ?? '',
    `${ready}/${total}`,
    reason,
    shownRestarts,
    since(pod.metadata.creationTimestamp, now),
    text(at(pod, 'status', 'podIPs', 0, 'ip'), '<none>'),
    text(at(pod, 'spec', 'nodeName'), '<none>'),
    text(at(pod, 'status', 'nominatedNodeName'), '<none>'),
    readinessGates(pod),
  ];
}

interface PodState {
  readonly ready: number;
  readonly total: number;
  readonly reason: string;
  readonly restarts: number;
  /** The time of a container's last restart; empty when unknown. */
  readonly restarted: string;
}

function stateOf(pod: KubeObject): PodState {
  const spec = at(pod, 'spec');
  const status = at(pod, 'status');
  const conditions = maps(at(status, 'conditions'));
  const phase = text(at(status, 'phase'));
  const sidecars = new Set(
    maps(at(spec, 'initContainers'))
      .filter(({ restartPolicy }) => restartPolicy === 'Always')
      .map(({ name }) => name),
  );
  const init = initState(maps(at(status, 'initContainerStatuses')), sidecars, items(at(spec, 'initContainers')).length);
  let reason = text(at(status, 'reason'), phase);
  if (conditions.some((one) => one['type'] === 'PodScheduled' && one['reason'] === 'SchedulingGated'))
    reason = 'SchedulingGated';
  if (init.reason !== undefined) reason = init.reason;
  let { ready, restarts, restarted } = init;

  const initialized = conditions.some((one) => one['type'] === 'Initialized' && one['status'] === 'True');
  if (init.reason === undefined || initialized) {
    ({ restarts, restarted } = init.ofSidecars);
    const main = mainState(maps(at(status, 'containerStatuses')), reason);
    ready += main.ready;
    restarts += main.restarts;
    restarted = later(restarted, main.restarted);
    ({ reason } = main);
    if (reason === 'Completed') {
      const podReady = conditions.some((one) => one['type'] === 'Ready' && one['status'] === 'True');
      if (main.running && podReady) reason = 'Running';
      else if (main.error !== '') reason = main.error;
      else if (main.running) reason = 'NotReady';
    }
  }
  if (pod.metadata.deletionTimestamp !== undefined) {
    if (at(status, 'reason') === 'NodeLost') reason = 'Unknown';
    else if (phase !== 'Failed' && phase !== 'Succeeded') reason = 'Terminating';
  }
  return { ready, total: items(at(spec, 'containers')).length + sidecars.size, reason, restarts, restarted };
}

interface Restarts {
  readonly restarts: number;
  readonly restarted: string;
}

/** Reads the init containers up to the first unfinished one; `reason` is its state. */
function initState(
  statuses: readonly JsonObject[],
  sidecars: ReadonlySet<unknown>,
  total: number,
): Restarts & { readonly ready: number; readonly reason: string | undefined; readonly ofSidecars: Restarts } {
  let [ready, restarts, restarted] = [0, 0, ''];
  let ofSidecars: Restarts = { restarts: 0, restarted: '' };
  let reason: string | undefined;
  for (const [index, status] of statuses.entries()) {
    const finished = text(at(status, 'lastState', 'terminated', 'finishedAt'));
    const sidecar = sidecars.has(status['name']);
    restarts += number(status['restartCount']);
    restarted = later(restarted, finished);
    if (sidecar)
      ofSidecars = {
        restarts: ofSidecars.restarts + number(status['restartCount']),
        restarted: later(ofSidecars.restarted, finished),
      };
    const terminated = at(status, 'state', 'terminated');
    const waiting = text(at(status, 'state', 'waiting', 'reason'));
    if (terminated !== undefined && number(at(terminated, 'exitCode')) === 0) continue;
    if (sidecar && status['started'] === true) {
      if (status['ready'] === true) ready++;
      continue;
    }
    if (terminated !== undefined) reason = `Init:${ending(terminated)}`;
    else if (waiting !== '' && waiting !== 'PodInitializing') reason = `Init:${waiting}`;
    else reason = `Init:${index}/${total}`;
    break;
  }
  return { ready, restarts, restarted, reason, ofSidecars };
}

function mainState(
  statuses: readonly JsonObject[],
  before: string,
): Restarts & { readonly ready: number; readonly reason: string; readonly error: string; readonly running: boolean } {
  let [ready, restarts, restarted, reason, error, running] = [0, 0, '', before, '', false];
  for (const status of statuses.toReversed()) {
    restarts += number(status['restartCount']);
    restarted = later(restarted, text(at(status, 'lastState', 'terminated', 'finishedAt')));
    const terminated = at(status, 'state', 'terminated');
    const waiting = text(at(status, 'state', 'waiting', 'reason'));
    if (waiting !== '') reason = waiting;
    else if (terminated !== undefined) {
      reason = ending(terminated);
      if (number(at(terminated, 'exitCode')) !== 0) error = reason;
    } else if (status['ready'] === true && at(status, 'state', 'running') !== undefined) {
      running = true;
      ready++;
    }
  }
  return { ready, restarts, restarted, reason, error, running };
}

function ending(terminated: JsonObject[string]): string {
  const signal = number(at(terminated, 'signal'));
  return text(
    at(terminated, 'reason'),
    signal === 0 ? `ExitCode:${number(at(terminated, 'exitCode'))}` : `Signal:${signal}`,
  );
}

function later(a: string, b: string): string {
  return a < b ? b : a;
}

function readinessGates(pod: KubeObject): string {
  const gates = maps(at(pod, 'spec', 'readinessGates'));
  if (gates.length === 0) return '<none>';
  const conditions = maps(at(pod, 'status', 'conditions'));
  const met = gates.filter(
    ({ conditionType }) => conditions.find(({ type }) => type === conditionType)?.['status'] === 'True',
  );
  return `${met.length}/${gates.length}`;
}

/** Returns the conditions in a finished pod's row; undefined for any other pod. */
export function podConditions(pod: KubeObject): readonly JsonObject[] | undefined {
  const phase = at(pod, 'status', 'phase');
  if (phase !== 'Succeeded' && phase !== 'Failed') return undefined;
  const message = phase === 'Succeeded' ? 'The pod has completed successfully.' : 'The pod failed.';
  return [{ type: 'Completed', status: 'True', reason: phase, message }];
}
