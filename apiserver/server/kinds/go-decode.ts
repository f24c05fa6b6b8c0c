/**
 * Decodes and re-encodes built-in kinds as Go's JSON package does: unknown fields are dropped, wrong types refused, empty values omitted.
 *
 * Owns: one decoder per Go type, compiled lazily. A decoded value is what the real server would store and encode, including defaults; a
 * value already in that form is returned unchanged. Does not own: the defaults (`defaults/`), validation rules, Go's scalars with formats
 * of their own (`go-scalars.ts`). Start at {@link decoderOf}.
 */
import { isTypeMeta } from '../schema/coerce.ts';
import { isList, isMap, withoutKeys } from '../../objects/json.ts';
import type { JsonObject, JsonValue } from '../../objects/object.ts';
import { defaultsOf } from './defaults/by-type.ts';
import type { Defaulting } from './defaults/rules.ts';
import { mismatch, noteUnknown, type Decoder, type Decoding } from './go-decoding.ts';
import { EMBEDDED } from './embedded-structs.ts';
import { scalarDecoder } from './go-scalar-decoders.ts';
import { printedGoType, readGoType, type FieldEntry, type StructEntry } from './go-types.ts';

const decoders = new Map<string, Decoder>();

/** Returns the decoder of a Go type expression. */
export function decoderOf(expression: string): Decoder {
  let decoder = decoders.get(expression);
  if (decoder === undefined) decoders.set(expression, (decoder = make(expression)));
  return decoder;
}

function make(expression: string): Decoder {
  const type = readGoType(expression);
  switch (type.is) {
    case 'pointer':
      return new PointerDecoder(type.to);
    case 'list':
      return new ListDecoder(type.of, printedGoType(expression));
    case 'map':
      return new MapDecoder(type.of, printedGoType(expression));
    case 'struct':
      return new StructDecoder(type.name, type.entry);
    case 'scalar':
      return scalarDecoder(type.name, printedGoType(expression));
  }
}

interface Field {
  readonly name: string;
  readonly decoder: Decoder;
  /** True if empty values are written. */
  readonly kept: boolean;
  /** The names of the embedded structs that contain the field, each with its mark. */
  readonly via: readonly string[] | undefined;
}

export class StructDecoder implements Decoder {
  readonly always = true;
  readonly #name: string;
  readonly #entry: StructEntry;
  #fields: ReadonlyMap<string, Field> | undefined;
  /** Fields that are structs, which are always present and may have defaults inside. */
  #structs: readonly Field[] = [];
  #absent: readonly Field[] = [];
  readonly #defaults: Defaulting | undefined;
  #zero: JsonObject | undefined;

  constructor(name: string, entry: StructEntry) {
    this.#name = name;
    this.#entry = entry;
    this.#defaults = defaultsOf(name);
  }

  get zero(): JsonObject {
    this.#zero ??= this.complete(this.#defaulted({}));
    return this.#zero;
  }

  isEmpty(): boolean {
    return false;
  }

  /** Returns the fields by JSON name. They are created lazily, because types may be recursive. */
  get fields(): ReadonlyMap<string, Field> {
    if (this.#fields !== undefined) return this.#fields;
    const fields = new Map<string, Field>();
    const structs: Field[] = [];
    const absent: Field[] = [];
    for (const entry of this.#entry.fields) {
      const [name, type] = entry;
      const decoder = decoderOf(type);
      const kept = isKept(entry, decoder);
      const via = entry[2]?.via?.map((one) => `${EMBEDDED}${one}`);
      const field = { name, decoder, kept, via };
      fields.set(name, field);
      if (kept) (decoder instanceof StructDecoder ? structs : absent).push(field);
    }
    this.#structs = structs;
    this.#absent = absent;
    this.#fields = fields;
    return fields;
  }

  decode(value: JsonValue, at: Decoding): JsonValue {
    if (!isMap(value)) {
      mismatch(at, value, printedGoType(this.#name), 'struct');
      return value;
    }
    return this.decodeMap(value, at, false);
  }

  /** Decodes a struct. `root`: the struct is the object itself, whose type and metadata are decoded elsewhere. */
  decodeMap(map: JsonObject, at: Decoding, root: boolean): JsonObject {
    const { fields } = this;
    const outer = at.struct;
    at.struct = this.#name.slice(this.#name.lastIndexOf('.') + 1);
    let copy: { [key: string]: JsonValue | undefined } | undefined;
    let gone: string[] | undefined;
    const inPlace = at.words === 'json';
    // The converter reports the unknown fields of a struct before it descends into the known ones.
    if (!inPlace && at.unknown !== undefined)
      for (const key of Object.keys(map).toSorted())
        if (map[key] !== undefined && !(root && isTypeMeta(key)) && !fields.has(key)) noteUnknown(at, key);
    for (const key in map) {
      const value = map[key];
      if (value === undefined || (root && isTypeMeta(key))) continue;
      const field = fields.get(key);
      if (field === undefined) {
        if (inPlace) noteUnknown(at, key);
        (gone ??= []).push(key);
        continue;
      }
      const { decoder } = field;
      let decoded: JsonValue | undefined;
      if (value !== null) {
        if (field.via !== undefined) at.path.push(...field.via);
        at.path.push(key);
        decoded = decoder.decode(value, at);
        if (field.kept && decoded === null) (at.emptied ??= []).push({ path: [...at.path], value });
        at.path.length -= 1 + (field.via?.length ?? 0);
        if (!field.kept && decoder.isEmpty(decoded)) decoded = undefined;
      }
      if (decoded === value) continue;
      if (decoded === undefined) (gone ??= []).push(key);
      else (copy ??= { ...map })[key] = decoded;
    }
    if (gone !== undefined) copy = withoutKeys(copy ?? map, gone);
    at.struct = outer;
    // Defaults are added before the fields that are always written: a written zero would look like an explicit value.
    return at.error === undefined ? this.complete(this.#defaulted(copy ?? map, root), root) : map;
  }

  #defaulted(map: JsonObject, root = false): JsonObject {
    if (this.#defaults === undefined) return map;
    if (this.#fields === undefined) void this.fields;
    return this.#defaults(withZeros(map, this.#structs, root));
  }

  /** Adds the fields that are always written. */
  complete(map: JsonObject, root = false): JsonObject {
    if (this.#fields === undefined) void this.fields;
    return withZeros(withZeros(map, this.#structs, root), this.#absent, root);
  }
}

function withZeros(map: JsonObject, fields: readonly Field[], root: boolean): JsonObject {
  let copy: { [key: string]: JsonValue | undefined } | undefined;
  for (const { name, decoder } of fields) {
    if (map[name] !== undefined || (root && name === 'metadata')) continue;
    copy ??= { ...map };
    copy[name] = decoder.zero;
  }
  return copy ?? map;
}

function isKept([, , facts]: FieldEntry, decoder: Decoder): boolean {
  const kept = facts?.kept;
  if (kept === 'zero') return false;
  return kept === true || decoder.always;
}

/** Decodes a pointer. A nil pointer differs from a pointer to an empty value, so the value is written even when it is zero. */
class PointerDecoder implements Decoder {
  readonly always = false;
  readonly zero = null;
  readonly #to: string;
  #decoder: Decoder | undefined;

  constructor(to: string) {
    this.#to = to;
  }

  decode(value: JsonValue, at: Decoding): JsonValue {
    this.#decoder ??= decoderOf(this.#to);
    return this.#decoder.decode(value, at);
  }

  isEmpty(): boolean {
    return false;
  }
}

class ListDecoder implements Decoder {
  readonly always = false;
  readonly zero = null;
  readonly #of: string;
  readonly #printed: string;
  #items: Decoder | undefined;

  constructor(of: string, printed: string) {
    this.#of = of;
    this.#printed = printed;
  }

  decode(value: JsonValue, at: Decoding): JsonValue {
    if (!isList(value)) {
      mismatch(at, value, this.#printed, 'slice');
      return value;
    }
    // An empty list is stored as null, because Go decodes it as nil.
    if (value.length === 0) return null;
    this.#items ??= decoderOf(this.#of);
    const items = this.#items;
    let copy: JsonValue[] | undefined;
    for (let index = 0; index < value.length; index++) {
      const item = value[index] as JsonValue;
      let decoded: JsonValue = items.zero;
      if (item !== null) {
        at.path.push(index);
        decoded = items.decode(item, at);
        at.path.pop();
      }
      if (decoded !== item) (copy ??= [...value])[index] = decoded;
    }
    return copy ?? value;
  }

  isEmpty(value: JsonValue): boolean {
    return value === null;
  }
}

class MapDecoder implements Decoder {
  readonly always = false;
  readonly zero = null;
  readonly #of: string;
  readonly #printed: string;
  #values: Decoder | undefined;

  constructor(of: string, printed: string) {
    this.#of = of;
    this.#printed = printed;
  }

  decode(value: JsonValue, at: Decoding): JsonValue {
    if (!isMap(value)) {
      mismatch(at, value, this.#printed, 'map');
      return value;
    }
    this.#values ??= decoderOf(this.#of);
    const values = this.#values;
    let copy: { [key: string]: JsonValue | undefined } | undefined;
    let empty = true;
    for (const key in value) {
      const one = value[key];
      if (one === undefined) continue;
      empty = false;
      let decoded: JsonValue = values.zero;
      if (one !== null) {
        // Map keys are marked, because Go's type errors omit them.
        at.path.push(`\0${key}`);
        decoded = values.decode(one, at);
        at.path.pop();
      }
      if (decoded === one) continue;
      copy ??= { ...value };
      copy[key] = decoded;
    }
    return empty ? null : (copy ?? value);
  }

  isEmpty(value: JsonValue): boolean {
    return value === null;
  }
}
