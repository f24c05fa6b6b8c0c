/**
 * Stores secrets on this machine only: the key of the stand-ins, and the secrets that a replay needs.
 *
 * Both are in the user's state folder (`$XDG_STATE_HOME/stalemate/secrets`, else `~/.local/state/…`), readable by the user
 * only, and never in a report folder, which users keep, upload and commit. If nothing can be written, the key lasts for one
 * process.
 */
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { drawSecretKey } from '../../determinism/secret-key.ts';
import { writeWhole } from '../write-files.ts';
import { mapTexts, standInsOf, withSecrets } from './stand-in.ts';
import { stateFolder } from '../state-folder.ts';

const PRIVATE = 0o600;

export interface Restored<T> {
  readonly value: T;
  /** Stand-ins whose secrets are unknown on this machine. */
  readonly unknown: readonly string[];
}

export class Vault {
  /** Sources of secrets outside of findings: the configuration, with a program's environment variables. */
  readonly sources: object[] = [];
  readonly #folder: string;
  #key: Buffer | undefined;

  constructor(folder: string = stateFolder('secrets')) {
    this.#folder = folder;
  }

  /** Returns the key of this machine's stand-ins, which is generated on first use. */
  key(): Uint8Array {
    this.#key ??= this.#readKey() ?? this.#drawKey();
    return this.#key;
  }

  /**
   * Stores the secrets whose stand-ins occur in a document, so that it can be replayed here. If that fails, a replay runs
   * without them.
   */
  keep(document: unknown, secretOf: (standIn: string) => Buffer | undefined): void {
    for (const standIn of standInsIn(document)) {
      const secret = secretOf(standIn);
      const file = join(this.#folder, standIn);
      if (secret === undefined || existsSync(file)) continue;
      try {
        this.#write(file, secret.toString('base64'));
      } catch {
        return;
      }
    }
  }

  /** Returns a document with its secrets restored. */
  restore<T>(document: T): Restored<T> {
    const known = new Map<string, Buffer | undefined>();
    const secretOf = (standIn: string): Buffer | undefined => {
      if (!known.has(standIn)) known.set(standIn, this.#read(standIn));
      return known.get(standIn);
    };
    const value = mapTexts(document, (text) => withSecrets(text, secretOf)) as T;
    return { value, unknown: [...known].flatMap(([standIn, secret]) => (secret === undefined ? [standIn] : [])) };
  }

  #read(standIn: string): Buffer | undefined {
    try {
      return Buffer.from(readFileSync(join(this.#folder, standIn), 'utf8'), 'base64');
    } catch {
      return undefined;
    }
  }

  #readKey(): Buffer | undefined {
    const key = this.#read('key');
    return key?.length === 32 ? key : undefined;
  }

  #drawKey(): Buffer {
    const key = drawSecretKey();
    try {
      this.#write(join(this.#folder, 'key'), key.toString('base64'));
    } catch {
      return key;
    }
    // Another process may have written a key first: all processes use the stored one.
    return this.#readKey() ?? key;
  }

  #write(file: string, text: string): void {
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
    writeWhole(file, text, PRIVATE);
  }
}

function standInsIn(document: unknown): ReadonlySet<string> {
  const found = new Set<string>();
  mapTexts(document, (text) => {
    for (const standIn of standInsOf(text)) found.add(standIn);
    return text;
  });
  return found;
}
