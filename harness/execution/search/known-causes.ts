/**
 * The causes that a search knows: causes that it has found, causes that were supplied to it, and violations that were seen often but never
 * reproduced. A violation with a known cause is only counted; no time is spent on it.
 */
import type { KnownCause } from '../../model/cause.ts';
import type { Violation } from '../../model/check-result.ts';
import { signatureText } from '../../model/signature.ts';
import { isExplained, type Causes } from '../../oracle/cause.ts';
import { addSymptom, type SearchTally } from './tally.ts';

/** A violation of a run, with its possible causes. */
export interface Suspect {
  readonly violation: Violation;
  readonly causes: Causes;
}

/** The number of times a violation that never reproduces is tried before it is ignored. */
const SIGHTINGS_MAX = 3;
/** How many more runs are shrunk for a cause whose only example is pathological. */
const BETTER_TRIES = 3;

export class KnownCauses {
  /** Maps each key of a cause, including alternative ones, to the key that it is reported under. */
  readonly #byKey = new Map<string, string>();
  /** Maps the appearance of an outcome ({@link lookOf}) to a cause, for violations that do not name their cause. */
  readonly #bySignature = new Map<string, string>();
  readonly #inVain = new Map<string, number>();
  readonly #dismissed = new Set<string>();
  /** Causes with only a pathological example, with the number of tries left to find a better one. */
  readonly #weak = new Map<string, number>();

  constructor(known: readonly KnownCause[]) {
    for (const { key, signatures, also = [], weak } of known) {
      this.#byKey.set(key, key);
      for (const other of also) if (!this.#byKey.has(other)) this.#byKey.set(other, key);
      if (weak === true) this.#weak.set(key, BETTER_TRIES);
      for (const signature of signatures) this.#bySignature.set(outcomeOf(signature), key);
    }
  }

  has(key: string): boolean {
    return this.#byKey.has(key);
  }

  /** Returns the key of the cause that explains a violation; undefined if no known cause does. */
  ownerOf({ violation, causes }: Suspect): string | undefined {
    for (const { key } of causes.candidates.slice(0, causes.owners)) {
      const owner = this.#byKey.get(key);
      if (owner !== undefined) return owner;
    }
    const signature = signatureText(violation.signature);
    // A cause that is known by its signature alone matches regardless of how the violation came about.
    return (
      this.#byKey.get(signature) ?? (causes.certain ? undefined : this.#bySignature.get(lookOf({ violation, causes })))
    );
  }

  /** Reports whether a suspect is worth spending time on. */
  isNew(suspect: Suspect): boolean {
    if (this.isDismissed(suspect)) return false;
    const owner = this.ownerOf(suspect);
    const isOpen = owner === undefined || this.isWeak(owner);
    return isOpen && (this.#inVain.get(vainKey(suspect)) ?? 0) < SIGHTINGS_MAX;
  }

  /** Reports whether a better example of a known cause is needed: the current one occurred only under pathological conditions. */
  isWeak(key: string): boolean {
    return (this.#weak.get(key) ?? 0) > 0;
  }

  /** Uses up one attempt to find a better example of this cause, whatever the result. */
  spend(key: string): void {
    this.#weak.set(key, Math.max(0, (this.#weak.get(key) ?? 0) - 1));
  }

  /** Reports whether an example of a learnt cause is worth reporting, as the first or as a better one. */
  isToReport(key: string, { isFirst, isWeak }: { readonly isFirst: boolean; readonly isWeak: boolean }): boolean {
    if (isFirst) {
      if (isWeak) this.#weak.set(key, BETTER_TRIES);
      return true;
    }
    return !isWeak && this.#weak.delete(this.#byKey.get(key) ?? key);
  }

  /** Records that a suspect is a symptom of this cause, which may be new. `also` contains alternative keys of the cause. */
  learn(suspect: Suspect, key: string, also: readonly string[] = []): void {
    const owner = this.#byKey.get(key) ?? key;
    this.#byKey.set(key, owner);
    for (const other of also) if (!this.#byKey.has(other)) this.#byKey.set(other, owner);
    if (suspect.causes.certain) this.#byKey.set(suspect.causes.candidates[0].key, owner);
    else this.#remember(suspect, owner);
  }

  /** Assigns this cause to later violations with the same outcome that do not name a cause themselves. */
  #remember(suspect: Suspect, owner: string): void {
    const outcome = outcomeOf(signatureText(suspect.violation.signature));
    this.#bySignature.set(lookOf(suspect), owner);
    if (!this.#bySignature.has(outcome)) this.#bySignature.set(outcome, owner);
  }

  /** Records that a suspect was tried and did not reproduce. */
  lookedInVain(suspect: Suspect): void {
    const text = vainKey(suspect);
    this.#inVain.set(text, (this.#inVain.get(text) ?? 0) + 1);
  }

  /** Records that a suspect also occurs without any disturbance, so that a run that shows it proves nothing. */
  dismiss(suspect: Suspect): void {
    this.#dismissed.add(vainKey(suspect));
  }

  isDismissed(suspect: Suspect): boolean {
    return this.#dismissed.has(vainKey(suspect));
  }

  /** Returns how many findings to expect from the suspects. */
  pendingIn(suspects: readonly Suspect[]): number {
    return new Set(suspects.filter((one) => this.isNew(one)).map(({ causes }) => causes.candidates[0].key)).size;
  }

  /**
   * Counts the symptoms of known causes in one run.
   *
   * @param counted What has already been counted for this run; new counts are added.
   */
  count(suspects: readonly Suspect[], tally: SearchTally, counted: Set<Suspect | string> = new Set()): void {
    for (const suspect of suspects) {
      const owner = this.ownerOf(suspect);
      if (owner === undefined || counted.has(suspect)) continue;
      if (!counted.has(owner)) tally.causes[owner] = (tally.causes[owner] ?? 0) + 1;
      addSymptom(tally, owner, { signature: suspect.violation.signature, count: 1 });
      counted.add(suspect).add(owner);
    }
  }
}

/**
 * Returns suspects in the order in which they are examined. Violations that name their cause come first, since the rest may be mere
 * symptoms. Of the rest, convergence comes last, since it only says that something is wrong, not what.
 */
export function inOrder(suspects: readonly Suspect[]): readonly Suspect[] {
  const weight = ({ causes, violation }: Suspect): number =>
    causes.certain ? 0 : violation.signature.property === 'convergence' ? 2 : 1;
  return suspects.toSorted((a, b) => weight(a) - weight(b));
}

/** Returns the outcome in a signature, which is the same with or without a crash in the run. */
function outcomeOf(signature: string): string {
  return signature.replace(/^crash-equivalence \|/, 'convergence |');
}

/**
 * Returns the appearance of an outcome. Outcomes that look alike may have different causes, so the appearance of an explained outcome
 * includes its explanation.
 */
function lookOf({ violation, causes }: Suspect): string {
  const outcome = outcomeOf(signatureText(violation.signature));
  return isExplained(causes) ? `${outcome} || ${causes.candidates[0].key}` : outcome;
}

function vainKey({ violation, causes }: Suspect): string {
  const signature = signatureText(violation.signature);
  return causes.certain ? `${causes.candidates[0].key} || ${signature}` : signature;
}
