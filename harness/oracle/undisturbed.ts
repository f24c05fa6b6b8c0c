/** Violations that are found by comparing runs of the target. They prove nothing if the target's runs differ even when undisturbed. */
import type { Violation } from '../model/check-result.ts';
import type { Property } from './property.ts';

/** Reports whether the violation was found by comparing the run with other runs. */
export function isComparison({ signature }: Violation, properties: readonly Property[]): boolean {
  const compares = properties.find(({ name }) => name === signature.property)?.comparesRuns;
  return compares === true || compares?.includes(signature.class) === true;
}

/** Returns the violation with its severity in an undisturbed run: a warning if it is a comparison, else unchanged. */
export function inUndisturbedRun(violation: Violation, properties: readonly Property[]): Violation {
  if (violation.severity !== 'error' || !isComparison(violation, properties)) return violation;
  const sentence = `two runs without any fault gave different results: ${violation.sentence}`;
  return { ...violation, severity: 'warning', sentence };
}
