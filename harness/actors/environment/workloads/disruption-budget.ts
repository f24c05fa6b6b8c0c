/** Disruption budgets: how many of the selected pods may be evicted right now. */
import type { JsonObject, KubeObject } from 'stalemate-apiserver/objects/object';
import { labelsMatch, parseLabelSelector, selectorText } from 'stalemate-apiserver/selectors';
import type { WorkResult } from '../work-queue.ts';
import { withCondition, type Api } from './api.ts';
import { isActive, isReady } from './pods.ts';
import { mapAt, type View } from './view.ts';

export function reconcileBudget(api: Api, view: View, budget: KubeObject): Promise<WorkResult> {
  const spec = mapAt(budget, 'spec');
  const matcher = parseLabelSelector(selectorText(spec['selector']));
  const pods =
    typeof matcher === 'string' || spec['selector'] === undefined
      ? []
      : view.in('pods', budget.metadata.namespace ?? '').filter((pod) => labelsMatch(matcher, pod) && isActive(pod));
  const expected = pods.length;
  const healthy = pods.filter(isReady).length;
  const desired =
    spec['maxUnavailable'] === undefined
      ? share(spec['minAvailable'], expected)
      : Math.max(0, expected - share(spec['maxUnavailable'], expected));
  const allowed = expected === 0 ? 0 : Math.max(0, healthy - desired);
  const conditions = withCondition(
    budget,
    {
      type: 'DisruptionAllowed',
      status: allowed > 0 ? 'True' : 'False',
      reason: allowed > 0 ? 'SufficientPods' : 'InsufficientPods',
      message: '',
    },
    api.timestamp(),
  );
  return api.report(budget, {
    observedGeneration: budget.metadata.generation ?? 0,
    expectedPods: expected,
    currentHealthy: healthy,
    desiredHealthy: desired,
    disruptionsAllowed: allowed,
    conditions: conditions.map((one) => ({
      observedGeneration: budget.metadata.generation ?? 0,
      ...one,
    })),
  });
}

/** Resolves a number or a percentage, rounded up. */
function share(value: JsonObject[string], of: number): number {
  if (typeof value === 'number') return value;
  return typeof value === 'string' ? Math.ceil((Number.parseInt(value, 10) * of) / 100) : 0;
}
