/**
 * Causes: the bug behind a finding. One bug has many symptoms and is reported once, with all of them.
 *
 * Owns: the types, and the keys that distinguish findings and their files. Does not own: how a cause is derived from a run
 * (`oracle/cause.ts`), or how its key is built (`oracle/cause-kinds.ts`).
 */
import { signatureText, type Signature } from './signature.ts';

/** What is to blame: for example a request and the source of its content, the request that a loop repeats, or a missing watch. */
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

/** Separates the kind and the other parts of a key. */
export const BETWEEN = ' | ';

/** Kinds of causes that name no request, so two bugs of one target can share a key. */
const COARSE: ReadonlySet<string> = new Set(['missed', 'restart', 'two leaders', 'process ends', 'never finished']);

/**
 * Parses the kind from the key: stored causes have no field for it. If a symptom is its own cause, the key begins with the name of a
 * property.
 */
export function kindOf({ key }: Pick<Cause, 'key'>): string {
  return key.split(BETWEEN, 1)[0] ?? key;
}

/** Reports whether other bugs may have the same key. */
export function isCoarse(cause: Pick<Cause, 'key'>): boolean {
  return COARSE.has(kindOf(cause));
}

/**
 * Returns the key by which the files of findings are named. If different bugs can share the key of a cause ({@link isCoarse}), the
 * symptom's class, kind and top-level field are added, so that a later campaign does not overwrite the page of a different bug.
 */
export function fileKey(of: { readonly cause?: Cause; readonly signature: Signature }): string {
  const { cause, signature } = of;
  if (cause === undefined || !isCoarse(cause)) return causeKey(of);
  const [part = ''] = signature.field.split(/[.[]/, 1);
  return [cause.key, signature.class, signature.kind, part].join(BETWEEN);
}
