/**
 * Causes: what a finding is about. One bug shows in many ways, and is reported once, with all of them.
 *
 * Owns: the nouns, and what two findings are told apart by. How a cause is read off a run is `oracle/cause.ts`.
 */
import { signatureText, type Signature } from './signature.ts';

/** The request that did it and where its content came from, the request of a loop, the watch that is missing. */
export interface Cause {
  /** The same for all symptoms of one bug: `write | PUT without a version | deployments.apps | stale`. */
  readonly key: string;
  /** For people: `a PUT of deployments.apps without a version, with content that was out of date`. */
  readonly text: string;
}

/** A way in which a cause shows. */
export interface Symptom {
  readonly signature: Signature;
  /** Runs of the campaign that showed it. */
  readonly count: number;
}

/** How causes showed, by their keys. */
export type Symptoms = { readonly [cause: string]: readonly Symptom[] };

/** The most frequent first. */
export function sortedSymptoms(symptoms: readonly Symptom[]): readonly Symptom[] {
  return symptoms.toSorted(
    (a, b) => b.count - a.count || (signatureText(a.signature) < signatureText(b.signature) ? -1 : 1),
  );
}

/** A cause of which something is known already: found by an earlier worker, kept in a corpus, of an earlier batch. */
export interface KnownCause {
  readonly key: string;
  /** Its symptoms, as {@link signatureText} spells them. */
  readonly signatures: readonly string[];
  /** Other keys that it goes by. */
  readonly also?: readonly string[];
  /** Its example would fail no run on its own: a better one is worth some time. */
  readonly weak?: true;
}

/** Where every symptom is to be a finding of its own. */
export function ownCause({ signature }: { readonly signature: Signature }): Cause {
  const text = signatureText(signature);
  return { key: text, text };
}

/** What findings are told apart by: those of files from before causes, by their signatures. */
export function causeKey({ cause, signature }: { readonly cause?: Cause; readonly signature: Signature }): string {
  return cause?.key ?? signatureText(signature);
}
