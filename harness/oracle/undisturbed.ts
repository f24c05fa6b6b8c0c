/** Violations in undisturbed runs: a comparison with other runs then only shows that two undisturbed runs differ. */
import type { Violation } from '../model/check-result.ts';
import type { Property } from './property.ts';

/** Returns the violation as it counts in an undisturbed run: a warning if it is a comparison, else unchanged. */
export function inUndisturbedRun(violation: Violation, properties: readonly Property[]): Violation {
  const { property, class: kind } = violation.signature;
  const compares = properties.find(({ name }) => name === property)?.comparesRuns;
  if (violation.severity !== 'error' || compares === undefined || (compares !== true && !compares.includes(kind)))
    return violation;
  const sentence = `two runs without any fault gave different results: ${violation.sentence}`;
  return { ...violation, severity: 'warning', sentence };
}
