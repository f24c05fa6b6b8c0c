/** What a fresh incarnation must write so that `convergence` accepts it as a second witness. */
import { expect, it } from 'vitest';
import type { KubeObject } from 'stalemate-apiserver/objects/object';
import type { CheckResult } from '../harness/model/check-result.ts';
import { historyBuilder, manifest, type HistoryBuilder } from '../harness/oracle/test-history.ts';
import { convergence } from './convergence.ts';

const WIDGETS = 'widgets.example.com';

/** Builds a history of a widget and the deployment that the target creates for it with this image; `annotatedBy` annotates the widget. */
function run(image: string, annotatedBy?: string): HistoryBuilder {
  const h = historyBuilder();
  h.create('user', WIDGETS, manifest('Widget', 'web', { spec: { image: 'v2' } }));
  h.phase('contention');
  h.create('controller', 'deployments.apps', manifest('Deployment', 'web', { spec: { image } }));
  if (annotatedBy !== undefined) {
    const widget = h.live(WIDGETS, 'web');
    const annotations = { 'framework.io/handler': 'retry' };
    h.update(annotatedBy, WIDGETS, { ...widget, metadata: { ...widget.metadata, annotations } });
  }
  return h.phase('heal').phase('settle').pass(30_000).phase('end');
}

/**
 * Judges a target that left v1 where a fresh copy creates v2; a fresh incarnation that is started on the final state makes these writes.
 */
function judge(...writes: readonly string[]): CheckResult {
  return judged(run('v1'), run('v2'), writes);
}

function judged(
  h: HistoryBuilder,
  fresh: HistoryBuilder,
  writes: readonly string[],
  paths?: readonly (readonly string[])[],
): CheckResult {
  const objects: { readonly [key: string]: KubeObject } = {
    [`${WIDGETS}/default/web`]: fresh.live(WIDGETS, 'web'),
    'deployments.apps/default/web': fresh.live('deployments.apps', 'web'),
  };
  const final = [h.live(WIDGETS, 'web'), h.live('deployments.apps', 'web')];
  const { names } = h.build();
  return convergence.check(
    h.build({
      reference: { ownedLeaves: { 'deployments.apps:web': ['spec.image'] } },
      probes: [
        { probe: 'expected-state', settled: true, outcomes: [{ objects }] },
        { probe: 'extended-settle', windowMs: 120_000, quiescent: true, final, names, writesAtRest: 0 },
        { probe: 'fresh-incarnation', settled: true, writes, ...(paths === undefined ? {} : { paths }) },
      ],
    }),
  );
}

it('takes a write about the object that differs for a second witness', () => {
  expect(
    judge(`update ${WIDGETS}/web status.started="now"`, 'update deployments.apps/web spec.image="v2"'),
  ).toMatchObject({
    result: 'violated',
    violations: [{ severity: 'error', sentence: expect.stringContaining('would update deployments.apps/web') }],
  });
});

it('asks for a third witness where a fresh incarnation writes about other objects only', () => {
  expect(judge(`update ${WIDGETS}/web status.started="now"`)).toMatchObject({
    result: 'inconclusive',
    needs: [{ probe: 'undisturbed' }],
  });
});

it.each([
  [['spec.image'], 'violated'],
  [['spec'], 'violated'],
  [[''], 'violated'],
  [['metadata.annotations["started"]', 'spec.replicas'], 'inconclusive'],
])('takes a write that changes %j of the object for a witness of a wrong spec.image: %s', (paths, result) => {
  expect(judged(run('v1'), run('v2'), ['update deployments.apps/web'], [paths])).toMatchObject({ result });
});

it.each([
  [
    'only warns of an annotation of its own that the target leaves',
    'controller',
    { violations: [{ severity: 'warning', signature: { class: 'left-note' } }] },
  ],
  ['says nothing of one that another client leaves', 'writer-1', { result: 'holds' }],
])('%s', (_, annotatedBy, result) => {
  expect(judged(run('v2', annotatedBy), run('v2'), [`update ${WIDGETS}/web`])).toMatchObject(result);
});
