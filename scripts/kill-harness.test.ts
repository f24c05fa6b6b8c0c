import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { findProgram } from '../harness/clusters/control-plane/binaries.ts';
import { killAgainAndAgain, type KillOptions } from './kill-harness.ts';

const installed = findProgram('etcd') !== undefined && findProgram('kube-apiserver') !== undefined;
const clusters: readonly KillOptions['cluster'][] = [
  'embedded',
  'existing',
  ...(installed ? ['envtest' as const] : []),
];

describe.runIf(existsSync('/proc/self/environ'))('a harness that is killed at any moment', { timeout: 180_000 }, () => {
  it.each(clusters)('leaves nothing that the next start does not take away, on %s', async (cluster) => {
    const { complaints } = await killAgainAndAgain({ cluster, times: 1, seed: 7, withinMs: 8_000, tell: () => {} });

    expect(complaints).toEqual([]);
  });
});
