/**
 * Which causes a search knows: those that it has found, those known from elsewhere, and what came back in no run although it was seen
 * often. A violation of a known cause is counted, and no time is spent on it.
 */
import type { KnownCause } from '../../model/cause.ts';
import type { Violation } from '../../model/check-result.ts';
import { signatureText } from '../../model/signature.ts';
import { isExplained, type Causes } from '../../oracle/cause.ts';
import { addSymptom, type SearchTally } from './tally.ts';

/** A violation of a run, with what may have caused it. */
export interface Suspect {
  readonly violation: Violation;
  readonly causes: Causes;
}

/** A violation that comes back in no run gets another chance when it is seen again, up to so many times. */
const SIGHTINGS_MAX = 3;
/** Further runs that are shrunk of a cause whose example so far would fail no run. */
const BETTER_TRIES = 3;

export class KnownCauses {
  /** By the key of a cause or one of its other names: the key that it is reported under. */
  readonly #byKey = new Map<string, string>();
  /** By how an outcome looks ({@link lookOf}), for violations that do not name their cause. */
  readonly #bySignature = new Map<string, string>();
  readonly #inVain = new Map<string, number>();
  readonly #dismissed = new Set<string>();
  /** Causes whose example would fail no run on its own, with how often a better one is still looked for. */
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

  /** The key of the cause that a violation is a symptom of; undefined where none is known. */
  ownerOf({ violation, causes }: Suspect): string | undefined {
    for (const { key } of causes.candidates.slice(0, causes.owners)) {
      const owner = this.#byKey.get(key);
      if (owner !== undefined) return owner;
    }
    const signature = signatureText(violation.signature);
    // What is known by its signature alone is known however it came about.
    return (
      this.#byKey.get(signature) ?? (causes.certain ? undefined : this.#bySignature.get(lookOf({ violation, causes })))
    );
  }

  /** Whether time may be spent on it. */
  isNew(suspect: Suspect): boolean {
    if (this.isDismissed(suspect)) return false;
    const owner = this.ownerOf(suspect);
    const isOpen = owner === undefined || this.isWeak(owner);
    return isOpen && (this.#inVain.get(vainKey(suspect)) ?? 0) < SIGHTINGS_MAX;
  }

  /** Whether a better example of a known cause is looked for: the one there is would hide that the cause shows every day too. */
  isWeak(key: string): boolean {
    return (this.#weak.get(key) ?? 0) > 0;
  }

  /** A run that was looked into for a better example of this cause, whatever came of it. */
  spend(key: string): void {
    this.#weak.set(key, Math.max(0, (this.#weak.get(key) ?? 0) - 1));
  }

  /** An example of a cause that has been learnt: whether it is worth reporting, as the first or as a better one. */
  isToReport(key: string, { isFirst, isWeak }: { readonly isFirst: boolean; readonly isWeak: boolean }): boolean {
    if (isFirst) {
      if (isWeak) this.#weak.set(key, BETTER_TRIES);
      return true;
    }
    return !isWeak && this.#weak.delete(key);
  }

  /** It turned out to be a symptom of this cause, known until now or not. `also`: other keys that the cause goes by. */
  learn(suspect: Suspect, key: string, also: readonly string[] = []): void {
    const owner = this.#byKey.get(key) ?? key;
    this.#byKey.set(key, owner);
    for (const other of also) if (!this.#byKey.has(other)) this.#byKey.set(other, owner);
    if (suspect.causes.certain) this.#byKey.set(suspect.causes.candidates[0].key, owner);
    else this.#remember(suspect, owner);
  }

  /** The same outcome in a run that explains nothing has this cause too. */
  #remember(suspect: Suspect, owner: string): void {
    const outcome = outcomeOf(signatureText(suspect.violation.signature));
    this.#bySignature.set(lookOf(suspect), owner);
    if (!this.#bySignature.has(outcome)) this.#bySignature.set(outcome, owner);
  }

  /** It was looked into, and came back in no run. */
  lookedInVain(suspect: Suspect): void {
    const text = vainKey(suspect);
    this.#inVain.set(text, (this.#inVain.get(text) ?? 0) + 1);
  }

  /** It was looked into, and comes without any disturbance: a run that shows it says nothing. */
  dismiss(suspect: Suspect): void {
    this.#dismissed.add(vainKey(suspect));
  }

  isDismissed(suspect: Suspect): boolean {
    return this.#dismissed.has(vainKey(suspect));
  }

  /** How many findings there are to be made of these, as far as can be told before. */
  pendingIn(suspects: readonly Suspect[]): number {
    return new Set(suspects.filter((one) => this.isNew(one)).map(({ causes }) => causes.candidates[0].key)).size;
  }

  /**
   * Counts what one run showed of causes that are known by now.
   *
   * @param counted What was counted of this run before; is added to.
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
 * In the order in which they are looked into. What names its cause comes first: the rest of the run may be no more than its symptoms. Of
 * outcomes convergence comes last: it says of everything that it is not as it should be, the others say what.
 */
export function inOrder(suspects: readonly Suspect[]): readonly Suspect[] {
  const weight = ({ causes, violation }: Suspect): number =>
    causes.certain ? 0 : violation.signature.property === 'convergence' ? 2 : 1;
  return suspects.toSorted((a, b) => weight(a) - weight(b));
}

/** The same wrong outcome is one whether or not a crash was in the run. */
function outcomeOf(signature: string): string {
  return signature.replace(/^crash-equivalence \|/, 'convergence |');
}

/** Outcomes that look alike may have two causes: where the run explains one, that it was looked into without that says nothing. */
function lookOf({ violation, causes }: Suspect): string {
  const outcome = outcomeOf(signatureText(violation.signature));
  return isExplained(causes) ? `${outcome} || ${causes.candidates[0].key}` : outcome;
}

function vainKey({ violation, causes }: Suspect): string {
  const signature = signatureText(violation.signature);
  return causes.certain ? `${causes.candidates[0].key} || ${signature}` : signature;
}
