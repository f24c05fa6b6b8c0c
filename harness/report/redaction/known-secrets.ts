/** The secrets that one redaction knows, by stand-in, and the search for those that may occur anywhere. */
import { secretsInside } from './inside-secrets.ts';
import { SecretSearch, type Names } from './spellings.ts';
import { hasStandIn, spelledStandIn, standInFor, type StandInForm } from './stand-in.ts';

export class KnownSecrets {
  readonly #key: () => Uint8Array;
  /** Bytes by stand-in; other spellings of a secret have stand-ins of their own. */
  readonly #bytes = new Map<string, Buffer>();
  /** Secrets that are searched for in other texts. */
  readonly #wanted = new Map<string, Buffer>();
  readonly #names = new NameSet();
  readonly #spelled = new Map<string, string>();
  #search: SecretSearch | undefined;

  /** @param key - Called only if there is a secret. */
  constructor(key: () => Uint8Array) {
    this.#key = key;
  }

  /** Adds a name: a text that is a name is not a secret. */
  name(text: string): void {
    this.#names.add(text);
  }

  /**
   * Adds a secret, and returns its stand-in.
   *
   * @param wanted - Whether other texts are searched for it.
   */
  keep(bytes: Buffer, wanted = true): string {
    const standIn = standInFor(this.#key(), bytes);
    this.#bytes.set(standIn, bytes);
    if (wanted && !this.#wanted.has(standIn)) {
      this.#wanted.set(standIn, bytes);
      this.#search = undefined;
      for (const inside of secretsInside(bytes.toString('utf8')))
        if (!hasStandIn(inside)) this.keep(Buffer.from(inside));
    }
    return standIn;
  }

  /** Returns the stand-in of another spelling of a secret. */
  spelled(standIn: string, form: StandInForm, text: string): string {
    const name = `${standIn}.${form} ${text}`;
    let spelled = this.#spelled.get(name);
    if (spelled === undefined) {
      spelled = spelledStandIn(this.#key(), standIn, form, text);
      this.#spelled.set(name, spelled);
      this.#bytes.set(spelled, Buffer.from(text));
    }
    return spelled;
  }

  /** Returns the secret, or the spelling of it, that a stand-in replaces. */
  of(standIn: string): Buffer | undefined {
    return this.#bytes.get(standIn);
  }

  /** The search for the wanted secrets; undefined if there are none. */
  get search(): SecretSearch | undefined {
    if (this.#wanted.size === 0) return undefined;
    return (this.#search ??= new SecretSearch(this.#wanted, this.#names));
  }
}

class NameSet implements Names {
  readonly #names = new Set<string>();
  #all: string | undefined;

  add(name: string): void {
    this.#names.add(name);
    this.#all = undefined;
  }

  has(text: string): boolean {
    return this.#names.has(text);
  }

  holds(text: string): boolean {
    return (this.#all ??= [...this.#names].join('\n')).includes(text);
  }
}
