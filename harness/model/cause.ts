/**
 * Causes: the bug behind a finding. One bug has many symptoms and is reported once, with all of them.
 *
 * Owns: the types, and the key that distinguishes findings. Does not own: how a cause is derived from a run (`oracle/cause.ts`).
 */
import { signatureText, type Signature } from './signature.ts';

/** The guilty request with the source of its content, the request of a loop, or the missing watch. */
export interface Cause {
  /** The same for all symptoms of one bug: `write | PUT without a version | deployments.apps | stale`. */
  readonly key: string;
  /** For people: `a PUT of deployments.apps without a version, with content that was out of date`. */
  readonly text: string;
}

/** One symptom of a cause. */
export interface Symptom {
  readonly signature: Signature;
  /** The number of runs in the campaign that showed it. */
  readonly count: number;
}

/** Symptoms by cause key. */
export type Symptoms = { readonly [cause: string]: readonly Symptom[] };

/** Sorts symptoms by frequency, the most frequent first. */
export function sortedSymptoms(symptoms: readonly Symptom[]): readonly Symptom[] {
  return symptoms.toSorted(
    (a, b) => b.count - a.count || (signatureText(a.signature) < signatureText(b.signature) ? -1 : 1),
  );
}

/** A cause that is already known: from an earlier worker, the corpus or an earlier batch. */
export interface KnownCause {
  readonly key: string;
  /** Its symptoms, formatted by {@link signatureText}. */
  readonly signatures: readonly string[];
  /** Other keys of the same cause. */
  readonly also?: readonly string[];
  /** Present if the stored example alone would not fail a run, so that the search spends time on finding a better one. */
  readonly weak?: true;
}

/** Returns a cause that stands for this symptom alone, for callers that report each symptom as a finding of its own. */
export function ownCause({ signature }: { readonly signature: Signature }): Cause {
  const text = signatureText(signature);
  return { key: text, text };
}

/** Returns the key that distinguishes findings: the signature in files that were written before causes existed. */
export function causeKey({ cause, signature }: { readonly cause?: Cause; readonly signature: Signature }): string {
  return cause?.key ?? signatureText(signature);
}
