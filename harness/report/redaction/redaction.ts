/**
 * Takes secrets out of what is written: a walk over any JSON value, before it becomes a file or a page.
 *
 * Secrets are found by where they stand (data of Secrets, environment values, tokens, last-applied copies), are learnt, and are then
 * also taken out of every other text: log lines, messages, copies in other objects. Names, labels and other identifiers stay, for
 * a schedule and a story go by them. Pure: the same value and key give the same result. Start at {@link Redaction}.
 */
import type { JsonObject, JsonValue } from '../../model/object.ts';
import { isMap } from '../../model/json.ts';
import { encodedStandIn, standInFor, standInsOf } from './stand-in.ts';
import {
  BY_LOOKS,
  isSecretKey,
  isSecretVariable,
  JSON_KEYS,
  LAST_APPLIED,
  looksDrawn,
  secretFlag,
} from './secret-places.ts';

/** Shorter ones are hidden where they stand, but not looked for elsewhere: "admin" is in many words. */
const LOOKED_FOR_MIN = 6;

/** Identifiers: never looked into for secrets, and what stands in them is no secret. */
const IDENTIFIERS: ReadonlySet<string> = new Set([
  'actor',
  'actors',
  'after',
  'anchor',
  'apiVersion',
  'at',
  'before',
  'field',
  'generateName',
  'group',
  'kind',
  'label',
  'missed',
  'module',
  'name',
  'namespace',
  'property',
  'reason',
  'resource',
  'resourceVersion',
  'run',
  'stream',
  'subresource',
  'type',
  'uid',
  'until',
  'verb',
  'writer',
]);

/** `secret`: inside what belongs to a Secret, though it may not say so itself. */
type Place = 'secret' | 'plain';

export class Redaction {
  readonly #key: () => Uint8Array;
  /** Secrets by stand-in, as bytes. */
  readonly #secrets = new Map<string, Buffer>();
  /** Stand-ins of those that are looked for in other texts too. */
  readonly #wanted = new Set<string>();
  readonly #identifiers = new Set<string>();
  #memo: { readonly [place in Place]: WeakMap<object, JsonValue> } = { secret: new WeakMap(), plain: new WeakMap() };
  /** What to look for in texts; undefined until the secrets are known. */
  #pattern: RegExp | null | undefined;
  #replacements: ReadonlyMap<string, string> = new Map();

  /** @param key - Asked for only when there is a secret. */
  constructor(key: () => Uint8Array) {
    this.#key = key;
  }

  /** Learns the secrets of a value, without which {@link hide} only hides them where they stand. */
  learn(value: unknown): this {
    this.#identify(value, new WeakSet());
    this.#pattern = undefined;
    this.#walk(value as JsonValue, 'plain');
    this.#memo = { secret: new WeakMap(), plain: new WeakMap() };
    this.#prepare();
    return this;
  }

  /** The value with stand-ins; what holds no secret is the same object as before. */
  hide<T>(value: T): T {
    return this.#walk(value as JsonValue, 'plain') as T;
  }

  /** A text for people with stand-ins. */
  hideText(text: string): string {
    return this.#text(text);
  }

  /** The secret behind a stand-in. */
  secretOf(standIn: string): Buffer | undefined {
    return this.#secrets.get(standIn);
  }

  #identify(value: unknown, seen: WeakSet<object>): void {
    if (value === null || typeof value !== 'object' || seen.has(value)) return;
    seen.add(value);
    for (const [key, item] of Object.entries(value)) {
      if (typeof item === 'string') {
        if (IDENTIFIERS.has(key)) for (const part of item.split(/[/#@!~+]/)) this.#identifiers.add(part);
      } else this.#identify(item, seen);
    }
  }

  #walk(value: JsonValue, place: Place): JsonValue {
    if (typeof value === 'string') return this.#text(value);
    if (value === null || typeof value !== 'object') return value;
    const memo = this.#memo[place];
    let out = memo.get(value);
    if (out === undefined) {
      out = Array.isArray(value)
        ? this.#list(value as readonly JsonValue[], place)
        : this.#map(value as JsonObject, place);
      memo.set(value, out);
    }
    return out;
  }

  #list(list: readonly JsonValue[], place: Place): JsonValue {
    let follows = false;
    const out = list.map((item) => {
      if (typeof item !== 'string') return this.#walk(item, place);
      const flag = secretFlag(item);
      const hidden = follows && flag === undefined && !item.startsWith('-') ? this.#secret(item) : undefined;
      follows = flag !== undefined && flag.value === undefined;
      if (flag?.value !== undefined) return `${flag.flag}=${this.#secret(flag.value)}`;
      return hidden ?? this.#text(item);
    });
    return out.every((item, index) => item === list[index]) ? list : out;
  }

  #map(map: JsonObject, place: Place): JsonObject {
    const inner = place === 'secret' || isAboutSecrets(map) ? 'secret' : 'plain';
    const out: { [key: string]: JsonValue | undefined } = {};
    let changed = false;
    for (const [key, value] of Object.entries(map)) {
      const hidden = value === undefined ? undefined : this.#entry(map, key, value, inner);
      out[key] = hidden;
      changed ||= hidden !== value;
    }
    return changed ? out : map;
  }

  #entry(map: JsonObject, key: string, value: JsonValue, place: Place): JsonValue {
    if (place === 'secret' && (key === 'data' || key === 'stringData') && isMap(value)) return this.#data(value, key);
    // Names, and lists of labels and actors, are what stories and schedules go by.
    if (key === 'names' || (IDENTIFIERS.has(key) && Array.isArray(value))) return value;
    if (key === 'env' && Array.isArray(value)) return this.#variables(value as readonly JsonValue[]);
    if (key === 'value' || key === 'item') {
      const hidden = this.#written(map, value, place);
      if (hidden !== undefined) return hidden;
    }
    if (typeof value !== 'string') return this.#walk(value, place);
    if (key === LAST_APPLIED) return this.#lastApplied(value);
    if (isSecretKey(key, value)) return this.#secret(value);
    return IDENTIFIERS.has(key) ? value : this.#text(value);
  }

  /** A Secret's maps: values in base64, or as they are. */
  #data(data: JsonObject, key: string): JsonObject {
    return Object.fromEntries(
      Object.entries(data).map(([name, value]) => {
        if (typeof value !== 'string') return [name, value];
        return [
          name,
          key === 'data' ? this.#encodedSecret(value, JSON_KEYS.has(name)) : this.#plainSecret(value, name),
        ];
      }),
    );
  }

  #plainSecret(value: string, name: string): string {
    const hidden = this.#secret(value);
    return JSON_KEYS.has(name) && hidden !== value ? JSON.stringify({ redacted: hidden }) : hidden;
  }

  /**
   * Variables of a container. All values are hidden here; elsewhere only those that look like secrets, for many are images, addresses
   * and switches that a story needs.
   */
  #variables(list: readonly JsonValue[]): JsonValue {
    const out = list.map((item) => {
      if (!isMap(item) || typeof item['value'] !== 'string') return this.#walk(item, 'plain');
      const { name, value } = item;
      const wanted = (typeof name === 'string' && isSecretVariable(name)) || looksDrawn(value);
      const hidden = this.#secret(value, wanted);
      return hidden === value ? item : { ...item, value: hidden };
    });
    return out.every((item, index) => item === list[index]) ? list : out;
  }

  /** The value of a program's operation, or of a step of a JSON patch, by the path that it is written to. */
  #written(map: JsonObject, value: JsonValue, place: Place): JsonValue | undefined {
    const path = pathOf(map['path']) ?? leafOf(map);
    if (path === undefined) return undefined;
    const [first = ''] = path;
    const last = path.at(-1) ?? '';
    if (place === 'secret' && (first === 'data' || first === 'stringData')) {
      if (isMap(value)) return this.#data(value, first);
      if (typeof value === 'string')
        return first === 'data' ? this.#encodedSecret(value, JSON_KEYS.has(last)) : this.#plainSecret(value, last);
    }
    const env = path.indexOf('env');
    if (env < 0) return undefined;
    if (last === 'value' && typeof value === 'string') return this.#secret(value, looksDrawn(value));
    if (Array.isArray(value)) return this.#variables(value as readonly JsonValue[]);
    return isMap(value) ? (this.#variables([value]) as readonly JsonValue[])[0] : undefined;
  }

  /** What kubectl remembers is the object once more, as text. */
  #lastApplied(text: string): string {
    try {
      const before = JSON.parse(text) as JsonValue;
      const end = text.endsWith('\n') ? '\n' : '';
      const after = this.#walk(before, 'plain');
      if (after === before) return text;
      // Written otherwise than kubectl writes it, it could not be put together again as it was.
      return JSON.stringify(before) + end === text ? JSON.stringify(after) + end : this.#secret(text);
    } catch {
      return this.#secret(text);
    }
  }

  #secret(value: string, wanted = true): string {
    return value === '' || standInsOf(value).length > 0 ? value : this.#keep(Buffer.from(value), wanted);
  }

  #encodedSecret(value: string, json: boolean): string {
    if (value === '' || standInsOf(value).length > 0) return value;
    const bytes = Buffer.from(value, 'base64');
    // Manifests may break the lines. What is no base64 at all was refused by the server, and stands in the request only.
    if (bytes.toString('base64') !== value.replaceAll(/\s/g, '')) return this.#secret(value);
    return encodedStandIn(this.#keep(bytes), json);
  }

  #keep(bytes: Buffer, wanted = true): string {
    const standIn = standInFor(this.#key(), bytes);
    this.#secrets.set(standIn, bytes);
    if (wanted) this.#wanted.add(standIn);
    return standIn;
  }

  /** Other texts: what looks like a secret, and copies of those that are known. */
  #text(text: string): string {
    if (text.length < LOOKED_FOR_MIN) return text;
    let out = text;
    for (const looks of BY_LOOKS) {
      out = out.replaceAll(looks, (_, before: string, secret: string) => before + this.#secret(secret));
    }
    if (this.#pattern === undefined || this.#pattern === null) return out;
    return out.replaceAll(this.#pattern, (found) => this.#replacements.get(found) ?? found);
  }

  #prepare(): void {
    const replacements = new Map<string, string>();
    for (const [standIn, bytes] of this.#secrets) {
      const text = bytes.toString('utf8');
      if (!this.#wanted.has(standIn) || bytes.length < LOOKED_FOR_MIN || this.#identifiers.has(text) || isCommon(text))
        continue;
      if (Buffer.from(text).equals(bytes)) {
        replacements.set(text, standIn);
        // As it stands inside JSON that stands in a text.
        replacements.set(JSON.stringify(text).slice(1, -1), standIn);
      }
      replacements.set(bytes.toString('base64'), encodedStandIn(standIn, false));
    }
    const longestFirst = [...replacements.keys()].sort((a, b) => b.length - a.length);
    this.#replacements = replacements;
    this.#pattern = longestFirst.length === 0 ? null : new RegExp(longestFirst.map(escaped).join('|'), 'g');
  }
}

/** Short words and numbers are in too many texts, and are secrets in none of them. */
function isCommon(text: string): boolean {
  return /^(?:[a-z]+|[A-Z]+|[\d.:,]+)$/.test(text) && text.length < 12;
}

function escaped(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, String.raw`\$&`);
}

/** A Secret, a list of them, or a request, an operation or a probe about them. */
function isAboutSecrets(map: JsonObject): boolean {
  const { kind, resource, target, role } = map;
  if (kind === 'Secret' || kind === 'SecretList' || resource === 'secrets') return true;
  if (isMap(target) && target['resource'] === 'secrets') return true;
  return typeof role === 'string' && role.startsWith('secrets:');
}

/** `/data/password` or `['data', 'password']`. */
function pathOf(path: JsonValue | undefined): readonly string[] | undefined {
  if (typeof path === 'string') return path.startsWith('/') ? path.slice(1).split('/') : undefined;
  if (!Array.isArray(path)) return undefined;
  return (path as readonly JsonValue[]).map((part) => (typeof part === 'string' ? part : ''));
}

/** A probe names leaves: `data.password`. */
function leafOf({ leaves }: JsonObject): readonly string[] | undefined {
  const first = Array.isArray(leaves) ? (leaves as readonly JsonValue[])[0] : undefined;
  return typeof first === 'string' ? first.split(/[.[]/) : undefined;
}
