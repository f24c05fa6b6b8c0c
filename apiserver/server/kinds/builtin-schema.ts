/**
 * The schema of a built-in kind, with the interface of compiled schemas.
 *
 * Owns: combining decoder and nodes. Nothing is loaded before a kind is first written or applied. Validation rules are not part of it: they
 * are code, here as in the real server (`strategy.validate`).
 */
import type { KubeObject } from '../../objects/object.ts';
import type { FieldError } from '../refusal.ts';
import type { CompiledSchema } from '../schema/compiled-schema.ts';
import type { SchemaNode } from '../schema/schema-node.ts';
import { nodeOfGoType } from './builtin-node.ts';
import { decoderOf, StructDecoder } from './go-decode.ts';
import { rememberEmptied } from './emptied.ts';
import { decoding } from './go-decoding.ts';
import { goTypeOfKind } from './go-types.ts';

const NONE: readonly FieldError[] = [];

/** The schema of a kind in the generated data. */
export class BuiltInSchema implements CompiledSchema {
  readonly #apiVersion: string;
  readonly #kind: string;
  #decoder: StructDecoder | undefined;
  #root: SchemaNode | undefined;

  constructor(apiVersion: string, kind: string) {
    this.#apiVersion = apiVersion;
    this.#kind = kind;
  }

  get root(): SchemaNode {
    this.#root ??= nodeOfGoType(this.#type());
    return this.#root;
  }

  decode(object: KubeObject, unknown: string[] | undefined, words: 'json' | 'converter' = 'json'): KubeObject | string {
    const at = decoding(unknown, words);
    const decoded = this.#decode().decodeMap(object, at, true) as KubeObject;
    if (at.emptied !== undefined) rememberEmptied(decoded, at.emptied);
    return at.error ?? decoded;
  }

  coerce(object: KubeObject, unknown?: string[]): KubeObject {
    const decoded = this.decode(object, unknown, 'json');
    return typeof decoded === 'string' ? object : decoded;
  }

  complete(object: KubeObject): KubeObject {
    return this.#decode().complete(object, true) as KubeObject;
  }

  validate(): readonly FieldError[] {
    return NONE;
  }

  validateStatus(): readonly FieldError[] {
    return NONE;
  }

  #type(): string {
    const type = goTypeOfKind(this.#apiVersion, this.#kind);
    if (type === undefined) throw new TypeError(`${this.#apiVersion} ${this.#kind} is no built-in kind`);
    return type;
  }

  #decode(): StructDecoder {
    if (this.#decoder === undefined) {
      const decoder = decoderOf(this.#type());
      if (!(decoder instanceof StructDecoder)) throw new TypeError(`${this.#apiVersion} ${this.#kind} is no struct`);
      this.#decoder = decoder;
    }
    return this.#decoder;
  }
}
