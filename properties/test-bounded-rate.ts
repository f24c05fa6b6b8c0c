/** Builds histories for the tests of `bounded-rate`: one widget, disturbances, and the property's result. */
import type { KubeObject } from 'stalemate-apiserver/objects/object';
import { expect } from 'vitest';
import type { CheckResult } from '../harness/model/check-result.ts';
import type { Settlement } from '../harness/model/history.ts';
import type { ProbeResult } from '../harness/model/probe.ts';
import type { Reference } from '../harness/model/reference.ts';
import { historyBuilder, manifest, type HistoryBuilder } from '../harness/oracle/test-history.ts';
import { unreadable } from '../harness/model/test-readable.ts';
import { boundedRate } from './bounded-rate.ts';

export const WIDGETS = 'widgets.example.com';
export const HOT: Settlement = { result: 'hot-instant', steps: 400 };

/** Starts a history with a widget that exists when contention begins. */
export function started(): { h: HistoryBuilder; widget: KubeObject } {
  const h = historyBuilder();
  const widget = h.create('user', WIDGETS, manifest('Widget', 'web', { spec: { replicas: 1 }, status: { n: 0 } }));
  h.phase('contention');
  return { h, widget };
}

/** Returns the same history after contention without any change. */
export function settled(): HistoryBuilder {
  const { h } = started();
  return h.phase('heal').phase('settle');
}

export function judge(
  h: HistoryBuilder,
  parts: {
    readonly settlement?: Settlement;
    readonly probes?: readonly ProbeResult[];
    readonly reference?: Partial<Reference>;
  } = {},
): CheckResult {
  const result = boundedRate.check(h.phase('end').build(parts));
  const texts = result.result === 'violated' ? result.violations.map(({ sentence }) => sentence) : [];
  expect(texts.flatMap((text) => unreadable(text) ?? [])).toEqual([]);
  return result;
}

/** Builds the result of a probe: the number of the target's writes at rest while they are withheld from its watches. */
export const withheld = (writesAtRest: number): ProbeResult => ({
  probe: 'withheld-echo',
  writesAtRest,
  windowMs: 180_000,
});
