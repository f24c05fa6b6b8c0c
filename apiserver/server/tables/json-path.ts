/**
 * The JSONPath of printer columns, as far as Kubernetes supports it.
 *
 * Owns: `.a.b`, `['a']`, `[0]`, `[-1]`, `[1:3]`, `[*]`, `..a` and filters that compare one path with one value. Start at {@link
 * compilePath}.
 */
import { isList, isMap } from '../../objects/json.ts';
import type { JsonObject, JsonValue } from '../../objects/object.ts';

type Step = (values: readonly JsonValue[]) => readonly JsonValue[];

/** Returns all values at a path; none when an element is missing. */
export type Path = (value: JsonValue) => readonly JsonValue[];

const cache = new Map<string, Path | undefined>();

/** Compiles a path; undefined for an invalid path. */
export function compilePath(text: string): Path | undefined {
  if (cache.has(text)) return cache.get(text);
  const steps = stepsOf(text);
  const path: Path | undefined =
    steps === undefined
      ? undefined
      : (value) => steps.reduce<readonly JsonValue[]>((values, step) => step(values), [value]);
  if (cache.size > 10_000) cache.clear();
  cache.set(text, path);
  return path;
}

const TOKEN =
  /^(?:\.\.([\w$-]+)|\.\*|\.((?:\\.|[^.[\]\\])+)|\['((?:[^'\\]|\\.)*)'\]|\["((?:[^"\\]|\\.)*)"\]|\[(\*|-?\d+)\]|\[(-?\d*):(-?\d*)\]|\[\?\(\s*@([^=!<>]*?)\s*(?:(==|!=|<=|>=|<|>)\s*(.+?))?\s*\)\])/;

function stepsOf(text: string): readonly Step[] | undefined {
  const steps: Step[] = [];
  let rest = text.replace(/^\$/, '');
  if (rest !== '' && !rest.startsWith('.') && !rest.startsWith('[')) rest = `.${rest}`;
  while (rest !== '' && rest !== '.') {
    const match = TOKEN.exec(rest);
    if (match === null) return undefined;
    const step = stepOf(match);
    if (step === undefined) return undefined;
    steps.push(step);
    rest = rest.slice(match[0].length);
  }
  return steps;
}

function stepOf(match: RegExpExecArray): Step | undefined {
  const [, deep, plain, single, double, index, from, to, filtered, operator, operand] = match;
  if (deep !== undefined) return (values) => values.flatMap((value) => below(value, deep));
  const key = plain ?? single ?? double;
  if (key !== undefined) {
    const name = key.replaceAll(/\\(.)/g, '$1');
    return (values) => values.flatMap((value) => present(isMap(value) ? own(value, name) : undefined));
  }
  if (filtered !== undefined) return filterStep(filtered, operator, operand);
  if (from !== undefined && to !== undefined)
    return (values) =>
      values.flatMap((value) => (isList(value) ? value.slice(Number(from), to === '' ? undefined : Number(to)) : []));
  if (index === undefined || index === '*') return (values) => values.flatMap(children);
  return (values) => values.flatMap((value) => present(isList(value) ? value.at(Number(index)) : undefined));
}

function filterStep(filtered: string, operator: string | undefined, operand: string | undefined): Step | undefined {
  const path = compilePath(filtered);
  if (path === undefined) return undefined;
  const wanted = operand === undefined ? undefined : operandOf(operand);
  return (values) =>
    values.flatMap(children).filter((value) => {
      const [found] = path(value);
      if (operator === undefined) return found !== undefined;
      return found !== undefined && wanted !== undefined && holds(found, operator, wanted);
    });
}

function operandOf(text: string): JsonValue | undefined {
  const quoted = /^(?:'([^']*)'|"([^"]*)")$/.exec(text);
  if (quoted !== null) return quoted[1] ?? quoted[2] ?? '';
  if (text === 'true' || text === 'false') return text === 'true';
  return Number.isNaN(Number(text)) ? undefined : Number(text);
}

function holds(value: JsonValue, operator: string, wanted: JsonValue): boolean {
  if (operator === '==') return value === wanted;
  if (operator === '!=') return value !== wanted;
  if (typeof value !== typeof wanted || (typeof value !== 'number' && typeof value !== 'string')) return false;
  const other = wanted as typeof value;
  if (operator === '<') return value < other;
  if (operator === '>') return value > other;
  return operator === '<=' ? value <= other : value >= other;
}

function children(value: JsonValue): readonly JsonValue[] {
  if (isList(value)) return value;
  return isMap(value) ? Object.values(value).flatMap(present) : [];
}

function below(value: JsonValue, key: string): readonly JsonValue[] {
  const here = isMap(value) ? present(own(value, key)) : [];
  return [...here, ...children(value).flatMap((child) => below(child, key))];
}

function own(map: JsonObject, key: string): JsonValue | undefined {
  return Object.hasOwn(map, key) ? map[key] : undefined;
}

function present(value: JsonValue | undefined): readonly JsonValue[] {
  return value === undefined ? [] : [value];
}
