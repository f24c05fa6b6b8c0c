/**
 * Estimated costs of function calls, and the sizes of their results.
 *
 * Mirrors the estimates of k8s.io/apiserver `cel/library/cost.go` by function name, and those of cel-go and its extensions by overload.
 * Start at {@link callCost}. An unlisted function costs one.
 */
import {
  addSizes,
  exactly,
  multiplySizes,
  plus,
  scaled,
  times,
  UNBOUNDED,
  unite,
  UNKNOWN,
  type Size,
} from './sizes.ts';
import type { Overload } from './functions.ts';
import { sameType, type Type } from './types.ts';

/** An argument or a receiver. */
export interface Operand {
  readonly type: Type;
  readonly size: Size | undefined;
  /** The value, if it is a literal. */
  readonly literal: unknown;
  /** The size of each item of a list. */
  readonly itemSize: () => Size;
}

export interface CallCost {
  /** The cost of the call without its arguments. */
  readonly cost: number;
  readonly size?: Size | undefined;
}

/** The cost per character of one pass over a text. */
const TEXT = 0.1;
/** The cost per character of a regular expression's pattern. */
const PATTERN = 0.25;
const LIST = 10;
/** The maximum length of a format's pattern, and of a format's name. */
const FORMAT_PATTERN = 128;
const FORMAT_NAME = 64;
/** The maximum number of bytes of an address. */
const ADDRESS = 16;

const ONE: CallCost = { cost: 1 };

function sizeOf(operand: Operand | undefined): Size {
  return operand?.size ?? UNKNOWN;
}

type Rule = (target: Operand | undefined, args: readonly Operand[], overload: Overload) => CallCost | undefined;

/** The cost of a pass over one operand. `sized`: the result is as long as the operand. */
const traverse =
  (at: 'target' | 'argument', factor: number, sized = false): Rule =>
  (target, [first]) => {
    const operand = at === 'target' ? target : first;
    if (operand === undefined) return undefined;
    const size = sizeOf(operand);
    return { cost: scaled(size.max, factor), size: sized ? size : undefined };
  };

const constant: Rule = () => ONE;

/** The cost of a pass over all items of a list, and over the characters of items that are texts. For a text, the cost of a pass over it. */
const everyItem: Rule = (target) => {
  if (target === undefined) return undefined;
  const size = sizeOf(target);
  const [item] = target.type.params;
  if (item === undefined) return { cost: scaled(size.max, TEXT) };
  const texts = item.kind === 'string' || item.kind === 'bytes';
  const each = texts ? plus(1, scaled(target.itemSize().max, TEXT)) : 1;
  return { cost: times(size.max, each) };
};

/** The cost and the result size of `replace`, from the number of times that one text can occur in the other. */
const replaced: Rule = (target, [from, to]) => {
  if (target === undefined || from === undefined || to === undefined) return undefined;
  const [text, old, fresh] = [sizeOf(target), sizeOf(from), sizeOf(to)];
  const longest = { count: 0, kept: 0 };
  // An empty text occurs around every character.
  if (old.min === 0) Object.assign(longest, { count: Math.min(text.max + 1, UNBOUNDED), kept: text.max });
  else if (fresh.max <= old.min) longest.kept = text.max;
  else longest.count = Math.ceil(text.max / old.min);
  const shortest = { count: 0, kept: 0 };
  if (old.max === 0) Object.assign(shortest, { count: Math.min(text.min + 1, UNBOUNDED), kept: text.min });
  else if (old.max <= fresh.min) shortest.kept = text.min;
  else shortest.count = Math.ceil(text.min / old.max);
  const places = multiplySizes({ min: shortest.count, max: longest.count }, fresh);
  return {
    cost: scaled(text.max, 2 * TEXT),
    size: addSizes(places, { min: shortest.kept, max: longest.kept }),
  };
};

const split: Rule = (target, [, limit]) => {
  if (target === undefined) return undefined;
  const { max } = sizeOf(target);
  const parts = typeof limit?.literal === 'bigint' ? asUnsigned(limit.literal) : max;
  return { cost: scaled(max, 2 * TEXT), size: { min: 0, max: parts } };
};

/** Converts a number to unsigned, which makes negative numbers very large. */
function asUnsigned(value: bigint): number {
  return Number(BigInt.asUintN(64, value));
}

const joined: Rule = (target, [separator]) => {
  if (target === undefined) return undefined;
  const list = sizeOf(target);
  let size = exactly(0);
  if (target.type.params.length > 0) size = multiplySizes(list, target.itemSize());
  if (separator !== undefined) {
    const gaps = { min: Math.max(0, list.min - 1), max: Math.max(0, list.max - 1) };
    size = addSizes(size, multiplySizes(sizeOf(separator), gaps));
  }
  return { cost: scaled(size.max, TEXT), size };
};

/** Returns the cost of matching: a pattern may be tried at every character, and an empty text counts as one character. */
function matching(text: Size, pattern: Size): number {
  return times(scaled(plus(text.max, 1), TEXT), scaled(pattern.max, PATTERN));
}

const found: Rule = (target, [pattern]) => {
  if (target === undefined || pattern === undefined) return undefined;
  const text = sizeOf(target);
  return { cost: matching(text, sizeOf(pattern)), size: { min: 0, max: text.max } };
};

const contained: Rule = (_, [other], { id }) => {
  const compared = scaled(2 * ADDRESS, TEXT) + (id.startsWith('cidr_contains_cidr') ? scaled(ADDRESS, TEXT) + 1 : 0);
  return { cost: plus(compared, id.endsWith('_string') ? scaled(sizeOf(other).max, TEXT) : 0) };
};

const validated: Rule = (_, [text]) => ({
  cost: scaled(scaled(sizeOf(text).max, TEXT), FORMAT_PATTERN * PATTERN),
});

const equality: Rule = (_, [left, right]) => {
  if (left === undefined || right === undefined || !sameType(left.type, right.type)) return undefined;
  switch (left.type.name) {
    case 'net.IP':
    case 'net.CIDR':
    case 'kubernetes.Quantity':
    case 'kubernetes.Semver':
      return ONE;
    case 'kubernetes.NamedFormat':
      return { cost: scaled(FORMAT_NAME, TEXT) };
    case 'kubernetes.URL':
      return { cost: scaled((right.size ?? exactly(1)).max, TEXT) };
    default:
      return undefined;
  }
};

/** Kubernetes' functions, by name. */
const NAMED: ReadonlyMap<string, Rule> = new Map<string, Rule>([
  ...['isSorted', 'sum', 'max', 'min', 'indexOf', 'lastIndexOf'].map((name) => [name, everyItem] as const),
  ['url', traverse('argument', TEXT, true)],
  ...['lowerAscii', 'upperAscii', 'substring', 'trim'].map((name) => [name, traverse('target', TEXT, true)] as const),
  ['replace', replaced],
  ['split', split],
  ['join', joined],
  ['find', found],
  ['findAll', found],
  ...['cidr', 'isIP', 'isCIDR', 'quantity', 'isQuantity', 'semver', 'isSemver'].map(
    (name) => [name, traverse('argument', TEXT)] as const,
  ),
  [
    'ip',
    (target, args, overload) => (overload.id === 'cidr_ip' ? ONE : traverse('argument', TEXT)(target, args, overload)),
  ],
  ['ip.isCanonical', traverse('argument', 2 * TEXT)],
  ['containsIP', contained],
  ['containsCIDR', contained],
  ['validate', validated],
  ...['sign', 'add', 'sub'].map((name) => [name, constant] as const),
  ['_==_', equality],
]);

/** Returns the cost of creating a list, and its size. */
function listMade(size: Size, factor: number): CallCost {
  return { cost: plus(scaled(size.max, factor), 1, LIST), size };
}

/** Returns the value of an integer literal; 0 for negative ones. */
function wholeNumber(operand: Operand | undefined, otherwise: number): number {
  if (typeof operand?.literal !== 'bigint') return otherwise;
  return operand.literal < 0n ? 0 : Number(operand.literal);
}

const sets =
  (factor: number): Rule =>
  (_, [left, right]) => ({
    cost: plus(scaled(times(sizeOf(left).max, sizeOf(right).max), factor), 1),
  });

const sorted: Rule = (target, [keys], { id }) => {
  const size = sizeOf(keys ?? target);
  return listMade(multiplySizes(size, size), /^list_(string|bytes)_/.test(id) ? 2 + TEXT : 2);
};

const compared: Rule = (_, [left, right]) => ({ cost: scaled(Math.min(sizeOf(left).max, sizeOf(right).max), TEXT) });

/** Functions of the extensions and of cel-go, by overload. */
const OVERLOADS: ReadonlyMap<string, Rule> = new Map<string, Rule>([
  [
    'list_slice',
    (target, [start, end]) => {
      const length = wholeNumber(end, sizeOf(target).max) - wholeNumber(start, 0);
      // Negative sizes are read as unsigned.
      return listMade(exactly(length < 0 ? UNBOUNDED + length : length), 1);
    },
  ],
  ['list_flatten', (target) => listMade(sizeOf(target), 1)],
  ['list_flatten_int', (target, [depth]) => listMade(sizeOf(target), wholeNumber(depth, UNBOUNDED))],
  ['lists_range', (_, [count]) => listMade(exactly(wholeNumber(count, UNBOUNDED)), 1)],
  ['list_reverse', (target) => listMade(sizeOf(target), 1)],
  ['list_distinct', (target) => listMade(multiplySizes(sizeOf(target), sizeOf(target)), 2)],
  ['list_sets_contains_list', sets(1)],
  ['list_sets_intersects_list', sets(1)],
  ['list_sets_equivalent_list', sets(2)],
  ['string_format', traverse('target', TEXT)],
  [
    'string_to_bytes',
    (_, [text]) => {
      const { min, max } = sizeOf(text);
      return { cost: scaled(max, TEXT), size: { min, max: Math.min(max * 4, UNBOUNDED) } };
    },
  ],
  [
    'bytes_to_string',
    (_, [bytes]) => {
      const { min, max } = sizeOf(bytes);
      return { cost: scaled(max, TEXT), size: { min: Math.floor(min / 4), max } };
    },
  ],
  [
    'strings_quote',
    (_, [text]) => {
      const { min, max } = sizeOf(text);
      // Twice the largest number plus two overflows to zero.
      return { cost: scaled(max, TEXT), size: { min: min + 2, max: max >= UNBOUNDED ? 0 : max * 2 + 2 } };
    },
  ],
  ['starts_with_string', traverse('argument', TEXT)],
  ['ends_with_string', traverse('argument', TEXT)],
  ['in_list', (_, [, list]) => ({ cost: sizeOf(list).max })],
  ['matches_string', (target, [pattern]) => ({ cost: matching(sizeOf(target), sizeOf(pattern)) })],
  [
    'contains_string',
    (target, [part]) => ({ cost: times(scaled(sizeOf(target).max, TEXT), scaled(sizeOf(part).max, TEXT)) }),
  ],
  ['conditional', (_, [, yes, no]) => ({ cost: 0, size: unite(sizeOf(yes), sizeOf(no)) })],
  ['add_list', (_, [left, right]) => ({ cost: 1, size: addSizes(sizeOf(left), sizeOf(right)) })],
  ...['add_string', 'add_bytes'].map((id): [string, Rule] => [
    id,
    (_, [left, right]) => {
      const size = addSizes(sizeOf(left), sizeOf(right));
      return { cost: scaled(size.max, TEXT), size };
    },
  ]),
  ...['less', 'less_equals', 'greater', 'greater_equals'].flatMap((id): readonly (readonly [string, Rule])[] => [
    [`${id}_string`, compared],
    [`${id}_bytes`, compared],
  ]),
  ['equals', compared],
  ['not_equals', compared],
  ['logical_and', () => ({ cost: 0 })],
  ['logical_or', () => ({ cost: 0 })],
]);

/** Overloads of the extensions have precedence, then Kubernetes' functions, then cel-go's. */
const EXTENSIONS =
  /^(list_slice|list_flatten|list_flatten_int|lists_range|list_reverse|list_distinct|list_sets_|list_.*_sort)/;

export function callCost(
  name: string,
  overload: Overload,
  target: Operand | undefined,
  args: readonly Operand[],
): CallCost {
  if (/_(sort|sortByAssociatedKeys)$/.test(overload.id)) return sorted(target, args, overload) ?? ONE;
  const byOverload = OVERLOADS.get(overload.id);
  const byName = NAMED.get(name);
  const rules = EXTENSIONS.test(overload.id) ? [byOverload, byName] : [byName, byOverload];
  for (const rule of rules) {
    const result = rule?.(target, args, overload);
    if (result !== undefined) return result;
  }
  return ONE;
}
