/**
 * The last look at what is printed: logs of a CI are read by many.
 *
 * What commands print of findings has no secrets any more. Messages of errors, and what a target said before it ended, come past it too.
 */
import { Redaction } from '../report/redaction/redaction.ts';
import { Vault } from '../report/redaction/vault.ts';

export class OutputGuard {
  readonly #redaction: Redaction;

  constructor(vault: Pick<Vault, 'key'> = new Vault()) {
    this.#redaction = new Redaction(() => vault.key());
  }

  /** From now on the secrets of these are hidden as well: a configuration, a counterexample. */
  learn(sources: object): void {
    this.#redaction.learn(sources);
  }

  /** The text as it may be printed. */
  safe(text: string): string {
    return this.#redaction.hideText(text);
  }
}
