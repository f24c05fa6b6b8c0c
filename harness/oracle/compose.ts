/**
 * Judges one history by many properties.
 *
 * Owns: containing errors that a check throws, and reducing violations to one per signature. Does not own: probes and further rounds
 * (`execution/run/judge.ts`).
 */
import type { CheckResult, Violation } from '../model/check-result.ts';
import { signatureText } from '../model/signature.ts';
import type { History } from '../model/history.ts';
import { wrongAnswer } from './answer-form.ts';
import type { Property } from './property.ts';
import { withNames } from './uids-in-words.ts';

export interface Judgement {
  readonly property: Property;
  readonly result: CheckResult;
}

/** Checks every property. A property that throws is inconclusive, never a success. */
export function judge(history: History, properties: readonly Property[]): readonly Judgement[] {
  return properties.map((property) => ({ property, result: ask(property, history) }));
}

function ask(property: Property, history: History): CheckResult {
  let result: CheckResult;
  try {
    result = property.check(history);
  } catch (error) {
    return {
      result: 'inconclusive',
      reason: `the check threw: ${error instanceof Error ? error.message : String(error)}`,
    };
  }
  const wrong = wrongAnswer(result);
  if (wrong !== undefined) return ofWrongAnswer(property, history, result, wrong);
  if (result.result !== 'violated') return result;
  const violations = distinct(result.violations).map((one) => ({ ...one, sentence: withNames(one.sentence, history) }));
  return { ...result, violations };
}

/** Returns the result to use in place of a malformed one. A violation is never dropped, even if its result is malformed. */
function ofWrongAnswer(
  { name }: Property,
  history: History,
  result: CheckResult | undefined,
  wrong: string,
): CheckResult {
  const reason = `the check is wrong: ${wrong}`;
  if (result?.result !== 'violated') return { result: 'inconclusive', reason };
  const signature = { property: name, class: 'wrong-answer', actors: ['target'], kind: '', field: '' };
  const at = history.operations.at(-1)?.invoked.at ?? 0;
  const sentence = `it is violated, but ${reason}`;
  return {
    result: 'violated',
    violations: [{ signature, sentence, operations: [], revisions: [], at, severity: 'error' }],
  };
}

/** Returns the earliest violation of each signature, errors before warnings. */
export function distinct(violations: readonly Violation[]): readonly Violation[] {
  const first = new Map<string, Violation>();
  for (const violation of violations.toSorted(byWeight)) {
    const text = signatureText(violation.signature);
    if (!first.has(text)) first.set(text, violation);
  }
  return [...first.values()];
}

function byWeight(a: Violation, b: Violation): number {
  if (a.severity !== b.severity) return a.severity === 'error' ? -1 : 1;
  return a.at - b.at || (signatureText(a.signature) < signatureText(b.signature) ? -1 : 1);
}
