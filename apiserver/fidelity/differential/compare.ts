/** Finds where two JSON values differ. */
import { isMap } from '../../objects/json.ts';
import type { JsonValue } from '../../objects/object.ts';

export interface DifferenceAt {
  /**
   * The path of the differing value, for example `body.details.causes[].message`: without indices and keys of free-form maps, so that one
   * cause always has the same path.
   */
  readonly path: string;
  readonly ours: JsonValue | undefined;
  readonly real: JsonValue | undefined;
}

const MAX_PLACES = 200;

export function differences(
  ours: JsonValue | undefined,
  real: JsonValue | undefined,
  path = '',
): readonly DifferenceAt[] {
  const places: DifferenceAt[] = [];
  walk(ours, real, path, places);
  return places;
}

function walk(ours: JsonValue | undefined, real: JsonValue | undefined, path: string, places: DifferenceAt[]): void {
  if (places.length >= MAX_PLACES || ours === real) return;
  if (Array.isArray(ours) && Array.isArray(real)) {
    if (ours.length !== real.length) {
      places.push({ path: `${path}.length`, ours, real });
      return;
    }
    ours.forEach((one, index) => walk(one as JsonValue, real[index] as JsonValue, `${path}[]`, places));
    return;
  }
  if (isMap(ours) && isMap(real)) {
    const keys = new Set([...Object.keys(ours), ...Object.keys(real)]);
    for (const key of [...keys].sort())
      walk(ours[key], real[key], `${path}${path === '' ? '' : '.'}${shown(key)}`, places);
    return;
  }
  places.push({ path, ours, real });
}

/** Returns a key as it appears in a path: keys of field sets contain values, which are left out. */
function shown(key: string): string {
  return /^[kv]:/.test(key) ? `${key.slice(0, 2)}*` : key;
}

/** Returns a value as text within a line. */
export function plain(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : JSON.stringify(value ?? '');
}
