/**
 * Measures how many runs per hour a program gets, with one process per run, on every cluster that this machine can start. Runs whole
 * campaigns of one correct controller in Go, including the start of the cluster and the undisturbed runs.
 */
import { findProgram } from '../../harness/clusters/control-plane.ts';
import { realNow } from '../../harness/determinism/real-time.ts';
import { run } from '../../harness/index.ts';
import type { ClusterKind } from '../../harness/model/cluster.ts';
import { controllers, nameOf, optionsFor } from '../catalogue.ts';

const CONTROLLER = 'go/correct';
const HOUR_MS = 3_600_000;

export interface ClusterRate {
  readonly cluster: ClusterKind;
  readonly runs: number;
  readonly ms: number;
  readonly perHour: number;
}

/** @param runs - Runs per campaign: the more runs, the smaller the share of the start-up time. */
export async function clusterRates(runs: number): Promise<readonly ClusterRate[]> {
  const clusters: readonly ClusterKind[] = [
    'embedded',
    ...(findProgram('kube-apiserver') === undefined ? [] : ['envtest' as const]),
    ...(process.env['STALEMATE_KIND_IMAGE'] === undefined ? [] : ['kind' as const]),
  ];
  const rates: ClusterRate[] = [];
  for (const cluster of clusters) rates.push(await rateOn(cluster, runs));
  return rates;
}

async function rateOn(cluster: ClusterKind, runs: number): Promise<ClusterRate> {
  const entry = controllers.find((one) => nameOf(one) === CONTROLLER);
  if (entry === undefined) throw new Error(`the catalogue has no ${CONTROLLER}`);
  const image = process.env['STALEMATE_KIND_IMAGE'];
  const kind = cluster === 'kind' && image !== undefined ? { kind: { image } } : {};
  const began = realNow();
  const { runs: done } = await run(optionsFor(entry, { budget: runs, seed: 1, cluster, ...kind }));
  const ms = realNow() - began;
  return { cluster, runs: done, ms, perHour: (done / ms) * HOUR_MS };
}
