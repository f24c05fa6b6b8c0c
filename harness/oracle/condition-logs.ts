/**
 * Logs of transitions among conditions. Conditions are a map by type (API conventions), but some controllers append an entry for each
 * transition and keep the older ones: which entries there are depends on the path taken, not on the state.
 *
 * Owns: which lists of a status are such logs, and whether two of them end alike. Start at {@link logsThatEndAlike}.
 */
import { isMap } from 'stalemate-apiserver/objects/json';
import type { JsonObject, JsonValue, KubeObject } from 'stalemate-apiserver/objects/object';

/**
 * Returns the paths of the lists of conditions that are a log in at least one of the objects, and whose last entries have the same type and
 * status.
 */
export function logsThatEndAlike(one: KubeObject, other: KubeObject): readonly string[] {
  const paths: string[] = [];
  collect('status', one['status'], other['status'], paths);
  return paths;
}

function collect(path: string, one: JsonValue | undefined, other: JsonValue | undefined, paths: string[]): void {
  if (!isMap(one) || !isMap(other)) return;
  for (const key of Object.keys(one)) {
    const [a, b] = [conditionsIn(key, one), conditionsIn(key, other)];
    if (a === undefined || b === undefined) collect(`${path}.${key}`, one[key], other[key], paths);
    else if ((isLog(a) || isLog(b)) && endsAlike(a, b)) paths.push(`${path}.${key}`);
  }
}

function conditionsIn(key: string, status: JsonObject): readonly JsonObject[] | undefined {
  const list = status[key];
  return key === 'conditions' && Array.isArray(list) && list.every(isMap) ? list : undefined;
}

/** Reports whether a type occurs again after a different one. The same type twice in a row is no transition, so such a list is no log. */
function isLog(conditions: readonly JsonObject[]): boolean {
  const types = conditions.map(({ type }) => type);
  return (
    types.every((type, at) => typeof type === 'string' && type !== types[at - 1]) && new Set(types).size < types.length
  );
}

function endsAlike(one: readonly JsonObject[], other: readonly JsonObject[]): boolean {
  const [a, b] = [one.at(-1), other.at(-1)];
  return a !== undefined && b !== undefined && a['type'] === b['type'] && a['status'] === b['status'];
}
