/** Collects the properties' warnings in the runs of a search: the first sentence per signature, and the number of runs that showed it. */
import type { Violation } from '../../model/check-result.ts';
import { signatureText } from '../../model/signature.ts';
import { sortedRemarks, type Remark } from '../../model/finding.ts';
import type { History } from '../../model/history.ts';
import { withoutItsSecrets } from '../../report/redaction/index.ts';
import type { SearchTally } from './tally.ts';

/** Adds the warnings of one run. */
export function countRemarks(history: History, violations: readonly Violation[], { remarks }: SearchTally): void {
  const warnings = violations.filter(({ severity }) => severity === 'warning');
  const bySignature = new Map(warnings.map((one) => [signatureText(one.signature), one]));
  for (const [text, { signature, sentence }] of bySignature) {
    const before = remarks[text];
    // The sentence is redacted now: only the run itself, which is not kept, shows what is secret.
    remarks[text] =
      before === undefined
        ? { signature, sentence: withoutItsSecrets(sentence, history), count: 1 }
        : { ...before, count: before.count + 1 };
  }
}

/** Returns the remarks, the most frequent first. Leaves out warnings that also occur as errors, which findings report. */
export function remarksOf({ remarks, symptoms }: Pick<SearchTally, 'remarks' | 'symptoms'>): readonly Remark[] {
  const errors = new Set(Object.values(symptoms).flatMap((of) => Object.keys(of)));
  return sortedRemarks(Object.entries(remarks).flatMap(([text, remark]) => (errors.has(text) ? [] : [remark])));
}
