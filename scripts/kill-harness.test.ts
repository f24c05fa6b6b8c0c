import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { findProgram } from 'stalemate-apiserver/control-plane/binaries';
import { killAgainAndAgain, type KillOptions } from './kill-harness.ts';

const installed = findProgram('etcd') !== undefined && findProgram('kube-apiserver') !== undefined;
const CLUSTERS: readonly (readonly [KillOptions['cluster'], boolean])[] = [
  ['embedded', true],
  ['existing', true],
  ['envtest', installed],
];

// A run on a real control plane takes almost a minute, or several on a busy machine.
describe.runIf(existsSync('/proc/self/environ'))(
  'a harness that is killed at any moment',
  { timeout: 600_000, concurrent: true },
  () => {
    for (const [cluster, isThere] of CLUSTERS)
      it.runIf(isThere)(`leaves nothing that the next start does not remove, on ${cluster}`, async () => {
        const { complaints } = await killAgainAndAgain({ cluster, times: 1, seed: 7, withinMs: 8_000, tell: () => {} });

        expect(complaints).toEqual([]);
      });
  },
);
