/**
 * Hides secrets in any JSON value before it is written to a file or page.
 *
 * Secrets are found by their place (data of Secrets, environment variables, tokens, last-applied annotations), are learnt, and
 * are then hidden in every other text as well: log lines, messages, copies in other objects. Names, labels and other
 * identifiers stay, because schedules and stories refer to them. Pure: the same value and key give the same result. Start at
 * {@link Redaction}.
 */
import type { JsonObject, JsonValue } from 'stalemate-apiserver/objects/object';
import { isMap } from 'stalemate-apiserver/objects/json';
import { HideText } from './hide-text.ts';
import { KnownSecrets } from './known-secrets.ts';
import { canonicalJson, changed, encodedStandIn, hasStandIn } from './stand-in.ts';
import { hideInSchema, SCHEMA, type SchemaParts } from './schemas.ts';
import { isSecretKey, isSecretVariable, JSON_KEYS, LAST_APPLIED, looksDrawn, secretFlag } from './secret-places.ts';

/** Keys of identifiers: only token formats are hidden in their values, and their values are not secrets elsewhere. */
const IDENTIFIERS: ReadonlySet<string> = new Set([
  'actor',
  'actors',
  'after',
  'anchor',
  'apiVersion',
  'at',
  'before',
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

/**
 * Keys of identifiers inside objects: their values are words of the API, or names that other objects refer to. `name` is not
 * among them, because its value may be anything there.
 */
const WORDS: ReadonlySet<string> = new Set([
  'apiVersion',
  'group',
  'kind',
  'namespace',
  'reason',
  'resource',
  'subresource',
  'type',
  'verb',
]);

/**
 * `secret`: inside a Secret, even if this part does not show that it belongs to one. `object`: inside a cluster object but outside its
 * metadata: no schedule refers to values there.
 */
type SecrecyContext = 'secret' | 'plain' | 'object' | 'secret object';

function placeOf(isSecret: boolean, isInObject: boolean): SecrecyContext {
  if (isInObject) return isSecret ? 'secret object' : 'object';
  return isSecret ? 'secret' : 'plain';
}

/** The label of a stream with a selector: `controller/watch/pods/shop?app=web#0`. */
const SELECTED = /^([^?]*\?)(.*?)(#\d.*)?$/s;
/** A Secret as text: in an annotation of a tool other than kubectl, or in a ConfigMap with manifests. */
const SECRET_IN_JSON = /"kind":\s*"Secret/;
const SECRET_IN_YAML = /^kind:[ \t]*["']?Secret(?:List)?["']?[ \t]*$/m;

export class Redaction {
  readonly #secrets: KnownSecrets;
  readonly #texts: HideText;
  /** Keys of maps, cached because there are few and they repeat. */
  readonly #keys = new Map<string, string>();
  #memo = newMemo();
  readonly #inSchemas: SchemaParts = {
    value: (value) => this.#walk(value, 'object'),
    text: (text) => this.#texts.hideKnown(text),
  };

  /** @param key - Called only if there is a secret. */
  constructor(key: () => Uint8Array) {
    this.#secrets = new KnownSecrets(key);
    this.#texts = new HideText(this.#secrets, (value) => this.#walk(value as JsonValue, 'plain'));
  }

  /** Learns the secrets of a value. Without this, {@link hide} hides them only in their own places. */
  learn(value: unknown): this {
    this.#identify(value, false, new WeakSet());
    this.#texts.isLooking = false;
    this.#walk(value as JsonValue, 'plain');
    this.#texts.isLooking = true;
    this.#memo = newMemo();
    this.#keys.clear();
    return this;
  }

  /** Returns the value with stand-ins; parts without secrets are the same objects as before. */
  hide<T>(value: T): T {
    return this.#walk(value as JsonValue, 'plain') as T;
  }

  /** Returns a text for people with stand-ins. */
  hideText(text: string): string {
    return this.#text(text);
  }

  /** Hides a text that is secret as a whole. */
  hideWhole(text: string): string {
    return this.#texts.secret(text, false);
  }

  /** Returns the secret that a stand-in replaces. */
  secretOf(standIn: string): Buffer | undefined {
    return this.#secrets.of(standIn);
  }

  #identify(value: unknown, isInObject: boolean, seen: WeakSet<object>): void {
    if (value === null || typeof value !== 'object' || seen.has(value)) return;
    seen.add(value);
    const isInside = isInObject || isObject(value);
    for (const [key, item] of Object.entries(value)) {
      // A Secret's data may have any keys.
      if (key === 'data' || key === 'stringData') continue;
      if (typeof item !== 'string') this.#identify(item, isObjectAt(key, isInside), seen);
      else if (IDENTIFIERS.has(key) && !isSentence(item) && !(isInside && (!WORDS.has(key) || looksDrawn(item))))
        for (const part of item.split(/[/#@!~+]/)) this.#secrets.name(part);
    }
  }

  #walk(value: JsonValue, place: SecrecyContext): JsonValue {
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

  #list(list: readonly JsonValue[], place: SecrecyContext): JsonValue {
    let follows = false;
    return changed(list, (item) => {
      if (typeof item !== 'string') return this.#walk(item, place);
      const flag = secretFlag(item);
      const hidden = follows && flag === undefined && !item.startsWith('-') ? this.#texts.secret(item) : undefined;
      follows = flag !== undefined && flag.value === undefined;
      if (flag?.value !== undefined) return `${flag.flag}=${this.#texts.secret(flag.value)}`;
      return hidden ?? this.#text(item);
    });
  }

  #map(map: JsonObject, place: SecrecyContext): JsonObject {
    const isSecret = isOfSecrets(place) || isAboutSecrets(map);
    const inner = placeOf(isSecret, isOfObject(place) || isObject(map));
    const out: { [key: string]: JsonValue | undefined } = {};
    let isSame = true;
    for (const [key, value] of Object.entries(map)) {
      const hidden = value === undefined ? undefined : this.#entry(map, key, value, inner);
      const name = this.#keyOf(key);
      out[name] = hidden;
      isSame &&= hidden === value && name === key;
    }
    return isSame ? map : out;
  }

  #entry(map: JsonObject, key: string, value: JsonValue, place: SecrecyContext): JsonValue {
    if (isOfSecrets(place) && (key === 'data' || key === 'stringData') && isMap(value)) return this.#data(value, key);
    if (key === SCHEMA) return hideInSchema(value, this.#inSchemas);
    const isInObject = isOfObject(place);
    if (typeof value === 'object' && (key === 'names' || IDENTIFIERS.has(key)) && !isInObject)
      return this.#identifiers(value, place);
    if (key === 'env' && Array.isArray(value)) return this.#variables(value as readonly JsonValue[]);
    if (key === 'value' || key === 'item') {
      const hidden = this.#written(map, value, place);
      if (hidden !== undefined) return hidden;
    }
    if (typeof value !== 'string') return this.#walk(value, placeOf(isOfSecrets(place), isObjectAt(key, isInObject)));
    if (key === LAST_APPLIED) return this.#lastApplied(value);
    if (isSecretKey(key, value)) return this.#texts.secret(value);
    return IDENTIFIERS.has(key) && !isInObject ? this.#identifier(value) : this.#text(value);
  }

  #keyOf(key: string): string {
    let hidden = this.#keys.get(key);
    if (hidden === undefined) this.#keys.set(key, (hidden = this.#texts.hide(key)));
    return hidden;
  }

  /** Keeps names, and lists of labels and actors, because schedules and stories refer to them. */
  #identifiers(value: JsonValue, place: SecrecyContext): JsonValue {
    if (!Array.isArray(value) && !isMap(value)) return value;
    const hide = (item: JsonValue): JsonValue =>
      typeof item === 'string' ? this.#identifier(item) : this.#walk(item, place);
    if (Array.isArray(value)) return changed(value as readonly JsonValue[], hide);
    if (Object.values(value).some((item) => typeof item !== 'string')) return this.#walk(value, place);
    const out = Object.entries(value).map(([key, item]) => [this.#keyOf(key), hide(item as string)] as const);
    return out.every(([key, item]) => item === value[key]) ? value : Object.fromEntries(out);
  }

  /** Keeps names, but treats the selector in a stream's label as text: it contains label values, which may be anything. */
  #identifier(value: string): string {
    if (isSentence(value)) return this.#text(value);
    const [, stream = value, selector = '', rest = ''] = SELECTED.exec(value) ?? [];
    return this.#texts.hideName(stream) + this.#texts.hide(selector) + this.#texts.hideName(rest);
  }

  /** Hides secrets in a text. A text that is itself a manifest of a Secret is hidden like a Secret. */
  #text(value: string): string {
    if (value.includes('"Secret') && SECRET_IN_JSON.test(value))
      return this.#jsonText(value) ?? this.#texts.hide(value);
    return SECRET_IN_YAML.test(value) ? this.#texts.secret(value) : this.#texts.hide(value);
  }

  /** Hides the values of a Secret's `data` (base64) or `stringData` (plain text). */
  #data(data: JsonObject, key: string): JsonObject {
    return Object.fromEntries(
      Object.entries(data).map(([name, value]) => {
        if (typeof value !== 'string') return [this.#keyOf(name), value];
        return [
          this.#keyOf(name),
          key === 'data' ? this.#encodedSecret(value, JSON_KEYS.has(name)) : this.#plainSecret(value, name),
        ];
      }),
    );
  }

  #plainSecret(value: string, name: string): string {
    const hidden = this.#texts.secret(value);
    return JSON_KEYS.has(name) && hidden !== value ? JSON.stringify({ redacted: hidden }) : hidden;
  }

  /**
   * Hides a container's environment variables. All values are hidden here, but only those that look like secrets are hidden
   * elsewhere: many are images, addresses and switches that a story needs.
   */
  #variables(list: readonly JsonValue[]): JsonValue {
    return changed(list, (item) => {
      if (!isMap(item) || typeof item['value'] !== 'string') return this.#walk(item, 'plain');
      const { name, value } = item;
      const isNamed = typeof name === 'string';
      const wanted = (isNamed && isSecretVariable(name)) || looksDrawn(value);
      const hidden = this.#texts.secret(value, wanted);
      const called = isNamed ? this.#texts.hide(name) : name;
      if (hidden === value && called === name) return item;
      return { ...item, ...(called === undefined ? {} : { name: called }), value: hidden };
    });
  }

  /** Hides the value of an operation in a writer's program, or of a JSON patch step, according to the path that it writes to. */
  #written(map: JsonObject, value: JsonValue, place: SecrecyContext): JsonValue | undefined {
    const path = pathOf(map['path']) ?? leafOf(map);
    if (path === undefined) return undefined;
    const [first = ''] = path;
    const last = path.at(-1) ?? '';
    if (isOfSecrets(place) && (first === 'data' || first === 'stringData')) {
      if (isMap(value)) return this.#data(value, first);
      if (typeof value === 'string')
        return first === 'data' ? this.#encodedSecret(value, JSON_KEYS.has(last)) : this.#plainSecret(value, last);
    }
    const env = path.indexOf('env');
    if (env < 0) return undefined;
    if (last === 'value' && typeof value === 'string') return this.#texts.secret(value, looksDrawn(value));
    if (Array.isArray(value)) return this.#variables(value as readonly JsonValue[]);
    return isMap(value) ? (this.#variables([value]) as readonly JsonValue[])[0] : undefined;
  }

  /**
   * Hides secrets in the last-applied annotation of kubectl, which contains the object as JSON text. Any other text there may
   * be a secret, and is hidden as a whole.
   */
  #lastApplied(text: string): string {
    return this.#jsonText(text) ?? this.#texts.secret(text);
  }

  /** Hides the secrets in a JSON document, using its keys; undefined if the text is not JSON. */
  #jsonText(text: string): string | undefined {
    const document = canonicalJson(text);
    if (document !== undefined) return document.text(this.#walk(document.value as JsonValue, 'plain'));
    try {
      const before = JSON.parse(text) as JsonValue;
      // A document in another format could not be restored as it was.
      return this.#walk(before, 'plain') === before ? text : this.#texts.secret(text, false);
    } catch {
      return undefined;
    }
  }

  #encodedSecret(value: string, json: boolean): string {
    if (value === '' || hasStandIn(value)) return value;
    const bytes = Buffer.from(value, 'base64');
    // Base64 in a manifest may have line breaks. Any other value was refused by the server, so it only occurs in the request.
    if (bytes.toString('base64') !== value.replaceAll(/\s/g, '')) return this.#texts.secret(value);
    return encodedStandIn(this.#secrets.keep(bytes), json);
  }
}

function newMemo(): { readonly [place in SecrecyContext]: WeakMap<object, JsonValue> } {
  return { secret: new WeakMap(), plain: new WeakMap(), object: new WeakMap(), 'secret object': new WeakMap() };
}

function isOfSecrets(place: SecrecyContext): boolean {
  return place === 'secret' || place === 'secret object';
}

function isOfObject(place: SecrecyContext): boolean {
  return place === 'object' || place === 'secret object';
}

/**
 * Reports whether the value of a key is inside a cluster object. Patches and values that writers set count, although they have no kind;
 * metadata does not, because it contains names that other parts refer to.
 */
function isObjectAt(key: string, isInObject: boolean): boolean {
  return key !== 'metadata' && (isInObject || key === 'body' || key === 'value');
}

/** Reports whether a map is a cluster object, as sent, stored or written to a file. */
function isObject(map: object): boolean {
  return 'kind' in map && 'apiVersion' in map && 'metadata' in map;
}

/** Reports whether the value of an identifier key is a sentence, such as the reason for an inconclusive run; names have no spaces. */
function isSentence(text: string): boolean {
  return text.includes(' ');
}

/** Reports whether a map is a Secret, a list of Secrets, or a request, an operation or a probe about one. */
function isAboutSecrets(map: JsonObject): boolean {
  const { kind, resource, target, role } = map;
  if (kind === 'Secret' || kind === 'SecretList' || resource === 'secrets') return true;
  if (isMap(target) && target['resource'] === 'secrets') return true;
  return typeof role === 'string' && role.startsWith('secrets:');
}

/** Parses a path such as `/data/password` or `['data', 'password']`. */
function pathOf(path: JsonValue | undefined): readonly string[] | undefined {
  if (typeof path === 'string') return path.startsWith('/') ? path.slice(1).split('/') : undefined;
  if (!Array.isArray(path)) return undefined;
  return (path as readonly JsonValue[]).map((part) => (typeof part === 'string' ? part : ''));
}

/** Parses the first of the leaves that a probe names, such as `data.password`. */
function leafOf({ leaves }: JsonObject): readonly string[] | undefined {
  const first = Array.isArray(leaves) ? (leaves as readonly JsonValue[])[0] : undefined;
  return typeof first === 'string' ? first.split(/[.[]/) : undefined;
}
