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

// On a real control plane a run takes most of a minute, on a busy machine several.
describe.runIf(existsSync('/proc/self/environ'))(
  'a harness that is killed at any moment',
  { timeout: 600_000, concurrent: true },
  () => {
    for (const [cluster, isThere] of CLUSTERS)
      it.runIf(isThere)(`leaves nothing that the next start does not take away, on ${cluster}`, async () => {
        const { complaints } = await killAgainAndAgain({ cluster, times: 1, seed: 7, withinMs: 8_000, tell: () => {} });

        expect(complaints).toEqual([]);
      });
  },
);
