/**
 * Redacts everything that is printed, because many people can read CI logs.
 *
 * What commands print about findings has already been redacted. Error messages, and the last output of a target, are redacted
 * here.
 */
import { Redaction } from '../report/redaction/redaction.ts';
import { Vault } from '../report/redaction/vault.ts';

export class OutputGuard {
  readonly #redaction: Redaction;

  constructor(vault: Pick<Vault, 'key'> = new Vault()) {
    this.#redaction = new Redaction(() => vault.key());
  }

  /** Hides the secrets of a configuration or counterexample from now on. */
  learn(sources: object): void {
    this.#redaction.learn(sources);
  }

  /** Returns the redacted text. */
  safe(text: string): string {
    return this.#redaction.hideText(text);
  }
}
