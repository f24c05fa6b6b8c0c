/** Builds any of the controllers here with any of its bugs. */
import type { Start } from './bugs.ts';
import { startBuckets } from './buckets.ts';
import { startDisks } from './disks.ts';
import { startPreviews } from './previews.ts';
import { startReleases } from './releases.ts';
import { startWorkerPools } from './worker-pools.ts';

export type Controller = 'buckets' | 'disks' | 'previews' | 'releases' | 'worker-pools';

const STARTS: { readonly [name in Controller]: (bugs: readonly string[]) => Start } = {
  buckets: startBuckets,
  disks: startDisks,
  previews: startPreviews,
  releases: startReleases,
  'worker-pools': startWorkerPools,
};

/**
 * The default export of a target module: this controller with these bugs, possibly none.
 *
 * @throws {Error} if a bug is unknown, or two bugs replace the same step.
 */
export function withBugs(controller: Controller, ...bugs: readonly string[]): Start {
  return STARTS[controller](bugs);
}
