/**
 * Assigns the findings of a soak to causes, because lines of older versions identify findings by signature only.
 *
 * If later lines name the cause of a signature, the older ones are counted with it. Does not own: the sums (`merge.ts`).
 */
import { causeKey, sortedSymptoms, type Symptom, type Symptoms } from '../../model/cause.ts';
import type { Violation } from '../../model/check-result.ts';
import { signatureText } from '../../model/signature.ts';
import type { BatchPart } from './parts.ts';

export interface CauseNames {
  /** Returns the key of a finding's cause. */
  keyOf(violation: Pick<Violation, 'cause' | 'signature'>): string;
  /** Adds up counts by cause. */
  renamed(counts: { readonly [name: string]: number }): { readonly [cause: string]: number };
}

export function causeNames(batches: readonly BatchPart[]): CauseNames {
  const bySignature = new Map<string, string>();
  // The key of a cause may equal a signature if each symptom is a finding of its own, or if nothing else is known.
  const causes = new Set<string>();
  // If two causes share a symptom, the smaller key wins, so that every reader of the same lines chooses the same one.
  const learn = (signature: string, key: string): void => {
    const before = bySignature.get(signature);
    if (before === undefined || key < before) bySignature.set(signature, key);
  };
  for (const { findings, result } of batches) {
    for (const { line } of findings) {
      const { signature, cause } = line.record.violation;
      if (cause === undefined) continue;
      causes.add(cause.key);
      learn(signatureText(signature), cause.key);
    }
    for (const [key, symptoms] of Object.entries(result?.symptoms ?? {})) {
      for (const { signature } of symptoms) learn(signatureText(signature), key);
    }
  }
  const nameOf = (name: string): string => (causes.has(name) ? name : (bySignature.get(name) ?? name));
  return {
    keyOf: (violation) => (violation.cause === undefined ? nameOf(causeKey(violation)) : violation.cause.key),
    renamed: (counts) => {
      const sum = new Map<string, number>();
      for (const [name, count] of Object.entries(counts)) sum.set(nameOf(name), (sum.get(nameOf(name)) ?? 0) + count);
      return Object.fromEntries(sum);
    },
  };
}

/** Returns the symptoms of each cause, over all batches. */
export function symptomsOf(batches: readonly BatchPart[], names: CauseNames): Symptoms {
  const byCause = new Map<string, Map<string, Symptom>>();
  for (const [key, symptoms] of batches.flatMap(({ result }) => Object.entries(result?.symptoms ?? {}))) {
    const cause = Object.keys(names.renamed({ [key]: 1 }))[0] ?? key;
    const of = byCause.get(cause) ?? new Map<string, Symptom>();
    byCause.set(cause, of);
    for (const { signature, count } of symptoms) {
      const text = signatureText(signature);
      of.set(text, { signature, count: count + (of.get(text)?.count ?? 0) });
    }
  }
  return Object.fromEntries([...byCause].map(([key, of]) => [key, sortedSymptoms([...of.values()])]));
}
