/** Shared by tests of `convergence`: a widget, its deployment, and probe results. */
import type { JsonObject, KubeObject } from 'stalemate-apiserver/objects/object';
import type { CheckResult } from '../harness/model/check-result.ts';
import { setAt } from '../harness/model/edit.ts';
import type { Settlement } from '../harness/model/history.ts';
import type { ProbeResult } from '../harness/model/probe.ts';
import type { Reference } from '../harness/model/reference.ts';
import type { HistoryBuilder } from '../harness/oracle/test-history.ts';
import { historyBuilder, manifest } from '../harness/oracle/test-history.ts';
import { convergence } from './convergence.ts';

export const WIDGETS = 'widgets.example.com';
const DIFFER = ['deployments.apps/web', 'deployments.apps/stray', 'widgets.example.com/web', 'pods/web/worker~7'];
export const REFERENCE: Pick<Reference, 'ownedLeaves' | 'volatileLeaves'> = {
  ownedLeaves: {
    [`${WIDGETS}:web`]: ['status.phase', 'status.observedGeneration', 'status.since', 'status.token', 'status.child'],
    'deployments.apps:web': ['metadata.name', 'spec.image'],
    'pods:web/worker': ['spec.image', 'metadata.ownerReferences[uid=*].name'],
  },
  volatileLeaves: { [`${WIDGETS}:web`]: ['status.token'] },
};

/**
 * Starts a history with a widget that has a status, and a deployment that the target creates.
 *
 * @param before - Adds what comes before the widget.
 * @param conditions - The conditions that the target reports.
 */
export function run(
  phase = 'Ready',
  image = 'v1',
  before: (h: HistoryBuilder) => void = () => {},
  conditions: readonly JsonObject[] = [],
): { h: HistoryBuilder; owner: KubeObject } {
  const h = historyBuilder();
  before(h);
  h.create('user', WIDGETS, manifest('Widget', 'web', { spec: { image: 'v1' }, status: {} }));
  h.phase('contention');
  const owner = h.get('controller', WIDGETS, 'web');
  h.create('controller', 'deployments.apps', manifest('Deployment', 'web', { spec: { image } }));
  const status = {
    phase,
    observedGeneration: owner.metadata.generation ?? 1,
    since: '2026-01-01T00:00:00Z',
    token: 'x',
    ...(conditions.length === 0 ? {} : { conditions }),
  };
  h.update('controller', WIDGETS, { ...owner, status }, 'status');
  h.phase('heal').phase('settle').pass(30_000).phase('end');
  return { h, owner };
}

/** Builds the result of a fresh copy, from the objects of another run. */
export function expected(...objects: readonly (readonly [string, KubeObject])[]): ProbeResult {
  return { probe: 'expected-state', settled: true, outcomes: [{ objects: Object.fromEntries(objects) }] };
}

export function healthy(): readonly (readonly [string, KubeObject])[] {
  const { h } = run();
  return [
    [`${WIDGETS}/default/web`, setAt(h.live(WIDGETS, 'web'), ['status', 'token'], 'y')],
    ['deployments.apps/default/web', h.live('deployments.apps', 'web')],
  ];
}

export function probes(
  h: HistoryBuilder,
  over: { final?: readonly KubeObject[]; writes?: readonly string[]; quiescent?: boolean } = {},
): readonly ProbeResult[] {
  const { names, revisions } = h.build();
  const final =
    over.final ??
    revisions
      .map(({ object }) => object)
      .filter((object, at, all) => all.findLastIndex((other) => other.metadata.uid === object.metadata.uid) === at);
  return [
    { probe: 'extended-settle', windowMs: 120_000, quiescent: over.quiescent ?? true, final, names, writesAtRest: 0 },
    {
      probe: 'fresh-incarnation',
      settled: true,
      writes: over.writes ?? DIFFER.map((object) => `update ${object}`),
    },
  ];
}

export function judge(h: HistoryBuilder, list: readonly ProbeResult[], settlement?: Settlement): CheckResult {
  return convergence.check(
    h.build({ reference: REFERENCE, probes: list, ...(settlement === undefined ? {} : { settlement }) }),
  );
}

/** Builds the result of a probe for other fresh copies: one for each image, whose deployment has that image. */
export function otherCopies(...images: readonly string[]): ProbeResult {
  const outcomes = images.map((image) => ({
    objects: {
      ...Object.fromEntries(healthy()),
      'deployments.apps/default/web': run('Ready', image).h.live('deployments.apps', 'web'),
    },
  }));
  return { probe: 'other-copies', outcomes };
}

/** Builds the result of the same workload without faults: it ended with `image`, while a fresh copy produced `expectedImage`. */
export function undisturbed(
  image: string,
  expectedImage: string,
  probe: 'undisturbed' | 'step-by-step' = 'undisturbed',
): ProbeResult {
  const { h } = run('Ready', image);
  const history = h.build();
  const fresh = run('Ready', expectedImage).h;
  return {
    probe,
    settled: true,
    final: [h.live(WIDGETS, 'web'), h.live('deployments.apps', 'web')],
    names: history.names,
    expected: [
      {
        objects: {
          [`${WIDGETS}/default/web`]: fresh.live(WIDGETS, 'web'),
          'deployments.apps/default/web': fresh.live('deployments.apps', 'web'),
        },
      },
    ],
  };
}
