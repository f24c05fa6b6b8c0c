/**
 * Validates that a property returns a `CheckResult`.
 *
 * Node strips types without checking them, so a user's property may omit fields that stored files and pages need.
 */
import { isMap } from 'stalemate-apiserver/objects/json';
import type { JsonValue } from 'stalemate-apiserver/objects/object';

const VIOLATION = { sentence: 'string', at: 'number', severity: 'string', operations: 'list', revisions: 'list' };
const SIGNATURE = { property: 'string', class: 'string', actors: 'list', kind: 'string', field: 'string' };

/** Returns what is wrong, as a sentence; undefined for a valid result. */
export function wrongAnswer(given: unknown): string | undefined {
  // `isMap` works for any value, although its type says JSON.
  const answer = given as JsonValue | undefined;
  const result = isMap(answer) ? answer['result'] : undefined;
  if (result === 'holds' || result === 'inconclusive') return undefined;
  if (!isMap(answer) || result !== 'violated')
    return `it answered ${answer === undefined ? 'nothing' : shown(answer)}, expected { result: "holds" }, "violated" or "inconclusive"`;
  const { violations } = answer;
  if (!Array.isArray(violations) || violations.length === 0)
    return `it answered "violated" with violations ${shown(violations)}, expected a list of at least one`;
  for (const [index, violation] of (violations as readonly JsonValue[]).entries()) {
    const place = `violations[${index}]`;
    const wrong =
      wrongField(violation, VIOLATION, place) ??
      wrongField(isMap(violation) ? violation['signature'] : undefined, SIGNATURE, `${place}.signature`);
    if (wrong !== undefined) return wrong;
  }
  return undefined;
}

function wrongField(
  value: JsonValue | undefined,
  form: { readonly [field: string]: string },
  place: string,
): string | undefined {
  if (!isMap(value)) return `its ${place} is ${shown(value)}, expected an object`;
  for (const [field, expected] of Object.entries(form)) {
    const found = value[field];
    if ((Array.isArray(found) ? 'list' : typeof found) === expected) continue;
    return `its ${place}.${field} is ${shown(found)}, expected a ${expected}${expected === 'string' ? ' ("" for none)' : ''}`;
  }
  return undefined;
}

function shown(value: JsonValue | undefined): string {
  return value === undefined ? 'missing' : (JSON.stringify(value)?.slice(0, 60) ?? typeof value);
}
