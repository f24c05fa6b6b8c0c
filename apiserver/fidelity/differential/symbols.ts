/**
 * Normalises values that may differ between two servers: uids by their order of appearance, versions by their rank among the versions seen,
 * times, addresses and generated suffixes by their type.
 *
 * Owns: one server's view of one sequence. The views of both servers must be equal. Start at {@link Symbols}.
 */
import { sortedKeys } from '../../objects/json.ts';
import type { JsonObject, JsonValue } from '../../objects/object.ts';
import { plain } from './compare.ts';

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;
/** Matches times from 2021 on: the times that sequences send are from 2020. */
const TIME = /20(?:2[1-9]|[3-9]\d)-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(?:Z|[+-]\d\d:\d\d)/g;
const GENERATED = /\bgen-[a-z0-9]{5}\b/g;
/** A number in a message is a version only in these contexts: `the ResourceVersion in record (17)`, `"resourceVersion":"17"`. */
const VERSION_IN_TEXT = /(resource ?version[^\d,}\]]{0,30})(\d+)/gi;
const CLUSTER_IP = /\b10\.0\.0\.\d+\b/g;
const NODE_PORT_IN_TEXT = /(duplicate nodePort: \{\w+) \d+/;

export class Symbols {
  readonly #uids = new Map<string, string>();
  readonly #generated = new Map<string, string>();
  /** Versions of objects, ascending, with their symbols. */
  readonly #versions: { readonly value: number; readonly symbol: string }[] = [];

  /** Returns a normalised copy. */
  of(value: JsonValue, key = '', parent?: JsonObject): JsonValue {
    if (typeof value === 'string') return this.#text(value, key, parent);
    if (typeof value === 'number') return key === 'nodePort' || key === 'healthCheckNodePort' ? 'PORT' : value;
    if (Array.isArray(value)) {
      const items = value.map((one) => this.of(one as JsonValue, key));
      return key === 'managedFields' ? sortedEntries(items) : items;
    }
    if (value === null || typeof value !== 'object') return value;
    const object = value as JsonObject;
    const copy: { [key: string]: JsonValue } = {};
    for (const name of Object.keys(object).sort()) copy[name] = this.of(object[name] ?? null, name, object);
    return isStatus(copy) ? sortedCauses(copy) : copy;
  }

  #text(text: string, key: string, parent: JsonObject | undefined): string {
    if (key === 'resourceVersion' && /^\d+$/.test(text))
      return isCollection(parent) ? this.#atLeast(Number(text)) : this.#version(Number(text));
    if (key === 'continue') return this.#token(text);
    let line = text
      .replace(TIME, (_, fraction: string | undefined) => (fraction === undefined ? 'TIME' : `MICROTIME`))
      .replace(GENERATED, (name) => named(this.#generated, name, 'gen-'))
      .replace(CLUSTER_IP, 'IP')
      .replace(NODE_PORT_IN_TEXT, '$1 PORT')
      .replace(UUID, (uid) => named(this.#uids, uid, 'uid-'));
    if (key === 'message')
      line = sortedObjects(sortedErrors(line)).replace(VERSION_IN_TEXT, (whole, before: string, digits: string) => {
        const known = this.#versions.find(({ value }) => value === Number(digits));
        if (known !== undefined) return before + known.symbol;
        // A version that no answer contained was written by the deletion of a collection, which returns no versions.
        return Number(digits) === 0 ? whole : `${before}unseen`;
      });
    return /too (?:large|old) resource version/i.test(line) ? line.replace(/\bv?\d+\b/g, 'N') : line;
  }

  /** Returns the symbol of an object's version. */
  #version(value: number): string {
    if (value === 0) return '0';
    const index = this.#versions.findLastIndex((one) => one.value <= value);
    const found = this.#versions[index];
    if (found?.value === value) return found.symbol;
    const newest = index === this.#versions.length - 1;
    const symbol = newest
      ? `v${this.#versions.length + 1}`
      : `v${this.#versions.length + 1}-after-${found?.symbol ?? ''}`;
    this.#versions.splice(index + 1, 0, { value, symbol });
    return symbol;
  }

  /**
   * Returns the symbol of a list's version: the newest known object version that is not later. Other sequences write concurrently, so the
   * exact version varies.
   */
  #atLeast(value: number): string {
    return `at-least-${this.#versions.findLast((one) => one.value <= value)?.symbol ?? ''}`;
  }

  #token(text: string): string {
    try {
      const { rv, start } = JSON.parse(Buffer.from(text, 'base64url').toString()) as { rv: number; start: string };
      return `continue ${rv === -1 ? -1 : this.#atLeast(rv)} ${start}`;
    } catch {
      return text;
    }
  }
}

function named(names: Map<string, string>, value: string, prefix: string): string {
  const known = names.get(value) ?? `${prefix}${names.size + 1}`;
  names.set(value, known);
  return known;
}

/** Reports whether an object is a list or a bookmark, whose metadata has no name. */
function isCollection(parent: JsonObject | undefined): boolean {
  return parent !== undefined && parent['name'] === undefined && parent['uid'] === undefined;
}

function isStatus(object: JsonObject): boolean {
  return object['kind'] === 'Status' && object['apiVersion'] === 'v1';
}

/** Returns sorted entries: servers order them by time, and whether two writes fall into the same second is random. */
function sortedEntries(entries: readonly JsonValue[]): readonly JsonValue[] {
  return entries
    .map((entry) => ({ entry, text: JSON.stringify(entry) }))
    .sort((a, b) => (a.text < b.text ? -1 : a.text > b.text ? 1 : 0))
    .map(({ entry }) => entry);
}

/** Sorts the errors of an apply, which come one per line in the random order of Go maps. */
function sortedErrors(message: string): string {
  const [head = '', list] = message.split('errors:\n', 2);
  if (list === undefined) return message;
  const lines = list.split('\n').sort((a, b) => (a < b ? -1 : 1));
  return `${head}errors:\n${lines.join('\n')}`;
}

/** Sorts the keys of objects quoted in a message, `Invalid value: "{\"b\":…}"`: servers order them differently. */
function sortedObjects(message: string): string {
  return message.replace(/"\{\\"(?:[^"\\]|\\.)*"/g, (quoted) => {
    try {
      return JSON.stringify(JSON.stringify(sortedKeys(JSON.parse(JSON.parse(quoted) as string) as JsonValue)));
    } catch {
      return quoted;
    }
  });
}

/** Sorts the causes of a Status, whose order varies from run to run on a real server. */
function sortedCauses(status: JsonObject): JsonObject {
  const { details } = status;
  const causes = (details as JsonObject | undefined)?.['causes'];
  if (!Array.isArray(causes) || causes.length < 2) return status;
  const lines = causes.map((one) => JSON.stringify(one)).sort();
  return {
    ...status,
    message: plain(status['message']).replace(/: \[.*\]$/s, ': [causes]'),
    details: { ...(details as JsonObject), causes: lines.map((one) => JSON.parse(one) as JsonValue) },
  };
}
