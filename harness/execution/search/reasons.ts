/** Why nothing can be said of a run, without the secrets of that run: it is not kept, and only it says what is a secret. */
import { withoutItsSecrets } from '../../report/redaction/index.ts';
import type { Judged } from '../run/judge.ts';

/** A target that says something else in each run must not be remembered for ever. */
const TOLD_MAX = 1000;

export class Reasons {
  /** The same reason has the same words, so that it is counted as one. */
  readonly #told = new Map<string, string>();

  of(judged: Judged): Judged {
    if (judged.inconclusive.size === 0) return judged;
    const inconclusive = new Map(
      [...judged.inconclusive].map(([property, reason]) => [property, this.#tell(reason, judged)] as const),
    );
    return { ...judged, inconclusive };
  }

  #tell(reason: string, { history }: Judged): string {
    let told = this.#told.get(reason);
    if (told !== undefined) return told;
    if (this.#told.size >= TOLD_MAX) this.#told.clear();
    this.#told.set(reason, (told = withoutItsSecrets(reason, history)));
    return told;
  }
}
