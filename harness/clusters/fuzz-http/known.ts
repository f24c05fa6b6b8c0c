/** Differences that have a reason: each is in `harness/apiserver/DIFFERENCES.md`. */
import type { HttpDifference } from './compare.ts';

type Rule = (difference: HttpDifference) => boolean;

const RULES: readonly Rule[] = [];

export function isKnown(difference: HttpDifference): boolean {
  return RULES.some((rule) => rule(difference));
}
