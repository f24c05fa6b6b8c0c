/**
 * Removes a run's secrets from the reasons why it is inconclusive. This is done before the run is dropped: only the run shows what is
 * secret.
 */
import { withoutItsSecrets } from '../../report/redaction/index.ts';
import type { Judged } from '../run/judge.ts';

/** The number of reasons at which the map is cleared, for a target with a different message in each run. */
const REASONS_MAX = 1000;

export class Reasons {
  /** Maps a reason to its redacted form, so that equal reasons are counted as one. */
  readonly #redacted = new Map<string, string>();

  of(judged: Judged): Judged {
    if (judged.inconclusive.size === 0) return judged;
    const inconclusive = new Map(
      [...judged.inconclusive].map(([property, reason]) => [property, this.#redact(reason, judged)] as const),
    );
    return { ...judged, inconclusive };
  }

  #redact(reason: string, { history }: Judged): string {
    let redacted = this.#redacted.get(reason);
    if (redacted !== undefined) return redacted;
    if (this.#redacted.size >= REASONS_MAX) this.#redacted.clear();
    this.#redacted.set(reason, (redacted = withoutItsSecrets(reason, history)));
    return redacted;
  }
}
