/**
 * A node without a machine: kwok simulates its pods.
 *
 * Its heartbeats count as the server's own writes, like those of a kind cluster's node (`storage-key.ts`). Owns: creating the node, and
 * when it accepts pods. Start at {@link makeNode}.
 */
import { mapOf, mapsOf } from 'stalemate-apiserver/objects/json';
import type { JsonObject, KubeObject } from 'stalemate-apiserver/objects/object';
import type { Upstream } from 'stalemate-apiserver/wire/http';
import { realDelay, realNow } from '../../determinism/real-time.ts';
import { HarnessError } from '../../model/errors.ts';
import { ask, expectMade } from './own-requests.ts';

const NODES = '/api/v1/nodes';
const NAME = 'stalemate-kwok';
const READY_MS = 60_000;
const POLL_MS = 50;
const ROOM = { cpu: '1000', memory: '1Ti', pods: '1000', 'ephemeral-storage': '1Ti' };

const NODE: KubeObject = {
  apiVersion: 'v1',
  kind: 'Node',
  metadata: {
    name: NAME,
    annotations: { 'kwok.x-k8s.io/node': 'fake' },
    labels: { 'kubernetes.io/hostname': NAME, 'kubernetes.io/os': 'linux', 'kubernetes.io/arch': 'amd64' },
  },
  status: { allocatable: ROOM, capacity: ROOM },
};

/**
 * Creates the node and resolves once it is ready for pods.
 *
 * @throws {CLUSTER_UNAVAILABLE} if kwok does not make it ready.
 */
export async function makeNode(upstream: Upstream): Promise<void> {
  expectMade(await ask(upstream, 'POST', NODES, NODE), `the node "${NAME}"`);
  const untilMs = realNow() + READY_MS;
  for (;;) {
    const { body } = await ask(upstream, 'GET', `${NODES}/${NAME}`);
    if (typeof body !== 'string' && isReady(body as JsonObject)) return;
    if (realNow() > untilMs)
      throw new HarnessError(
        'CLUSTER_UNAVAILABLE',
        `the node "${NAME}" was not ready for ${READY_MS / 1000} s, expected kwok to make it so`,
      );
    await realDelay(POLL_MS);
  }
}

/** Reports whether the node is ready, and without the taint that the node controller removes. */
function isReady({ status, spec }: JsonObject): boolean {
  const conditions = mapsOf(mapOf(status)['conditions']);
  const isTainted = mapsOf(mapOf(spec)['taints']).length > 0;
  return !isTainted && conditions.some((one) => one['type'] === 'Ready' && one['status'] === 'True');
}
