/** A short stable hash of an owner's `.spec`, the key under which reference measurements are looked up. */
import type { JsonObject, JsonValue, KubeObject } from 'stalemate-apiserver/objects/object';

const NO_SPEC = 'no-spec';
const cache = new WeakMap<object, string>();

/** Returns the same text for equal specs regardless of key order; `no-spec` for kinds without one. */
export function specHash(object: KubeObject): string {
  const spec = object['spec'];
  if (spec === undefined) return NO_SPEC;
  if (spec === null || typeof spec !== 'object') return hash(canonicalJson(spec));
  let text = cache.get(spec);
  if (text === undefined) cache.set(spec, (text = hash(canonicalJson(spec))));
  return text;
}

/** Returns JSON with sorted keys. */
export function canonicalJson(value: JsonValue): string {
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  if (Array.isArray(value)) return `[${(value as readonly JsonValue[]).map(canonicalJson).join(',')}]`;
  const map = value as JsonObject;
  const parts: string[] = [];
  for (const key of Object.keys(map).toSorted()) {
    const item = map[key];
    if (item !== undefined) parts.push(`${JSON.stringify(key)}:${canonicalJson(item)}`);
  }
  return `{${parts.join(',')}}`;
}

/** Returns a hash of two independent 32-bit FNV-1a lanes: there is no attacker, but a few hundred specs must not collide by accident. */
function hash(text: string): string {
  let a = 0x811c9dc5;
  let b = 0x1000193;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    a = Math.imul(a ^ code, 0x01000193);
    b = Math.imul(b ^ (code + index), 0x85ebca6b);
  }
  return (a >>> 0).toString(16).padStart(8, '0') + (b >>> 0).toString(16).padStart(8, '0');
}
