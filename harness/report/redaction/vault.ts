/**
 * Secrets that stay behind: the key of the stand-ins, and the secrets that a replay needs, on this machine only.
 *
 * They lie in the user's state folder (`$XDG_STATE_HOME/stalemate/secrets`, else `~/.local/state/…`), readable by the user alone, and
 * never in a report folder, which is kept, uploaded and committed. Where nothing can be written, a key serves for one process.
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
  /** Stand-ins whose secrets are not known here. */
  readonly unknown: readonly string[];
}

export class Vault {
  /** What secrets are known from that is in no finding: the configuration, with the variables of a program. */
  readonly sources: object[] = [];
  readonly #folder: string;
  #key: Buffer | undefined;

  constructor(folder: string = stateFolder('secrets')) {
    this.#folder = folder;
  }

  /** The key of this machine's stand-ins; drawn on first use. */
  key(): Uint8Array {
    this.#key ??= this.#readKey() ?? this.#drawKey();
    return this.#key;
  }

  /** Keeps the secrets whose stand-ins occur in a document, so that it can be run again here. Failing costs the replay its secrets. */
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

  /** A document with its secrets back in place. */
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
    // Another process may have been quicker: what lies there now is the key of all.
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
