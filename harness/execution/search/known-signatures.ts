/** Which violations a search looks into no more: those that were found, and those that came back in no run although they were seen often. */
import { signatureText, type Signature } from '../../model/check-result.ts';

/** A violation that comes back in no run gets another chance when it is seen again, up to so many times. */
const SIGHTINGS_MAX = 3;

export class KnownSignatures {
  readonly #known: Set<string>;
  readonly #inVain = new Map<string, number>();

  /** As `signatureText` writes them. */
  constructor(known: Iterable<string>) {
    this.#known = new Set(known);
  }

  has(signature: Signature): boolean {
    return this.#known.has(signatureText(signature));
  }

  add(signature: Signature): void {
    this.#known.add(signatureText(signature));
  }

  /** It was looked into, and came back in no run. */
  lookedInVain(signature: Signature): void {
    const text = signatureText(signature);
    const times = (this.#inVain.get(text) ?? 0) + 1;
    this.#inVain.set(text, times);
    if (times < SIGHTINGS_MAX) this.#known.delete(text);
  }
}
