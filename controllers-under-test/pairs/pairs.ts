/**
 * Twenty controllers with two different planted bugs each, and which findings of a campaign prove each bug.
 *
 * The name of a bug is its key in the file of its controller; the README says what it does wrong.
 */
import type { Controller } from './start.ts';

/** What a finding must be about. All given fields must match. */
export interface Proof {
  readonly property: string;
  /** For example `deployments.apps`. */
  readonly resource: string;
  /** The beginning of the field. */
  readonly field?: string;
  /** Verb, resource and subresource of the guilty request: `update releases.delivery.example.com/status`. */
  readonly request?: string;
  /** The beginning of the key of the cause: `write | `. */
  readonly cause?: string;
}

export interface PlantedBug {
  readonly bug: string;
  /** Any of them proves the bug. None may match a finding of the other bug. */
  readonly provedBy: readonly Proof[];
}

export interface Pair {
  readonly controller: Controller;
  readonly bugs: readonly [PlantedBug, PlantedBug];
  /** The CRD, if it is not the controller's own. */
  readonly crd?: string | undefined;
  /** Why a report might merge the two bugs; absent if they have nothing in common. */
  readonly close?: string;
  /** Found within seconds, so `npm run pairs -- --quick` includes it. */
  readonly isSoon?: true;
}

const RELEASES = 'releases.delivery.example.com';
const POOLS = 'workerpools.compute.example.com';
const BUCKETS = 'buckets.storage.example.com';

function lost(resource: string, field: string, request?: string): Proof {
  return { property: 'no-lost-update', resource, field, ...(request === undefined ? {} : { request }) };
}

function bug(name: string, ...provedBy: readonly Proof[]): PlantedBug {
  return { bug: name, provedBy };
}

const CONDITIONS_FROM_CACHE = 'takes-conditions-from-cache';

/** The patch may come from an earlier generation, or from an earlier object with the same name. */
function conditionsBlind(resource: string): PlantedBug {
  return bug('patches-conditions-blind', lost(resource, 'status.'), { property: 'truthful-status', resource });
}

/** Writing back old content may also undo the target's own change. */
const DEPLOYMENT_SPEC = bug('takes-spec-from-cache', lost('deployments.apps', 'spec.'), {
  property: 'convergence',
  resource: 'deployments.apps',
  cause: 'write | ',
});
const CLEARED_VERSION = bug('clears-version', lost('deployments.apps', ''));
/** A conflict that is dropped when the spec is changed back and forth leaves an image that no request explains. */
const DROPPED_CONFLICT = bug(
  'drops-conflict',
  { property: 'convergence', resource: 'deployments.apps', cause: 'given up | ' },
  { property: 'convergence', resource: 'deployments.apps', field: 'spec.template', cause: 'missed | ' },
);
const GENERATION_LIE = bug('lies-about-generation', { property: 'truthful-status', resource: RELEASES });
const STALE_POD_COUNT = bug(
  'counts-in-cache',
  { property: 'cardinality', resource: 'pods' },
  { property: 'convergence', resource: 'pods' },
);

export const PAIRS: readonly Pair[] = [
  {
    controller: 'releases',
    bugs: [CLEARED_VERSION, conditionsBlind(RELEASES)],
    isSoon: true,
  },
  {
    controller: 'releases',
    bugs: [DEPLOYMENT_SPEC, bug('rebuilds-finalizers', lost('deployments.apps', 'metadata.finalizers'))],
    isSoon: true,
    close: 'one PUT, wrong in its spec because of an old cache and in its finalizers although they were read afresh',
  },
  {
    controller: 'releases',
    bugs: [bug('replaces-owners', lost('deployments.apps', 'metadata.')), GENERATION_LIE],
  },
  {
    controller: 'releases',
    bugs: [DROPPED_CONFLICT, bug(CONDITIONS_FROM_CACHE, lost(RELEASES, 'status.'))],
  },
  {
    controller: 'releases',
    bugs: [
      bug('retries-refused-object', { property: 'bounded-rate', resource: 'deployments.apps' }),
      bug('mutates-cache', { property: 'convergence', resource: RELEASES }),
    ],
  },
  {
    controller: 'releases',
    bugs: [bug(CONDITIONS_FROM_CACHE, lost(RELEASES, 'status.')), GENERATION_LIE],
    close: 'one PUT of the status: conditions from an old cache, and a generation from a newer read than was acted on',
  },
  {
    controller: 'releases',
    bugs: [
      bug('ends-release-watch-on-error', { property: 'convergence', resource: RELEASES }),
      bug('ends-deployment-watch-on-expiry', { property: 'convergence', resource: 'deployments.apps' }),
    ],
    close: 'two watches that end, of two resources and for two reasons, with the same outcome',
  },
  {
    controller: 'releases',
    bugs: [
      bug(
        'applies-to-the-deleted',
        { property: 'no-resurrection', resource: RELEASES },
        { property: 'convergence', resource: RELEASES },
        lost(RELEASES, ''),
      ),
      bug('retries-status-forever', { property: 'bounded-rate', resource: RELEASES }),
    ],
  },
  {
    controller: 'releases',
    bugs: [DEPLOYMENT_SPEC, DROPPED_CONFLICT],
    isSoon: true,
    close: 'one PUT: its content is old, and its conflict is dropped',
  },
  {
    controller: 'releases',
    bugs: [
      bug('forces-apply', lost('deployments.apps', '')),
      bug('counts-reconciles', { property: 'bounded-rate', resource: RELEASES }),
    ],
  },
  {
    controller: 'worker-pools',
    bugs: [STALE_POD_COUNT, bug('pauses-between-creates', { property: 'no-resurrection', resource: 'pods' })],
    isSoon: true,
    close: 'one POST of Pods: one too many, and one for a pool that is gone',
  },
  {
    controller: 'worker-pools',
    bugs: [
      bug('gives-up-on-exists', { property: 'convergence', resource: 'pods' }),
      bug('requeues-always', { property: 'bounded-rate', resource: POOLS }),
    ],
  },
  {
    controller: 'worker-pools',
    bugs: [bug('writes-status-with-spec', { property: 'bounded-rate', resource: POOLS }), STALE_POD_COUNT],
    crd: 'worker-pools/status-on-main-resource/crd.yaml',
  },
  {
    controller: 'worker-pools',
    bugs: [
      bug(
        'acts-on-difference',
        { property: 'convergence', resource: 'pods' },
        { property: 'cardinality', resource: 'pods' },
        { property: 'crash-equivalence', resource: 'pods' },
      ),
      bug(CONDITIONS_FROM_CACHE, lost(POOLS, 'status.')),
    ],
  },
  {
    controller: 'buckets',
    bugs: [
      bug('sets-finalizers-alone', lost(BUCKETS, 'metadata.finalizers')),
      bug(
        'first-means-both',
        { property: 'convergence', resource: 'secrets' },
        { property: 'crash-equivalence', resource: 'secrets' },
      ),
    ],
  },
  {
    controller: 'buckets',
    bugs: [
      bug(
        'gives-up-cleaning',
        { property: 'deletion-completes', resource: BUCKETS },
        { property: 'convergence', resource: BUCKETS },
      ),
      bug('floats-status', { property: 'survival', resource: '' }),
    ],
  },
  {
    controller: 'buckets',
    bugs: [
      bug(
        'repeats-not-found',
        { property: 'bounded-rate', resource: 'secrets' },
        { property: 'bounded-rate', resource: 'configmaps' },
      ),
      bug('rebuilds-settings', lost('configmaps', '')),
    ],
  },
  {
    controller: 'buckets',
    bugs: [bug('sets-finalizers-alone', lost(BUCKETS, 'metadata.finalizers')), conditionsBlind(BUCKETS)],
    close: 'two merge patches of one object without a version',
  },
  {
    controller: 'disks',
    bugs: [
      bug('asks-without-key', { property: 'idempotent-effects', resource: 'resources.outside.stalemate' }),
      bug('patches-finalizers-blind', lost('disks.cloud.example.com', 'metadata.finalizers')),
    ],
  },
  {
    controller: 'previews',
    bugs: [
      bug('deletes-by-name', { property: 'no-mistaken-deletion', resource: 'previews.staging.example.com' }),
      bug('replaces-owners', lost('configmaps', 'metadata.ownerReferences')),
    ],
  },
];
