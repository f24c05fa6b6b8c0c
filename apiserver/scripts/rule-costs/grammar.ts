/**
 * Random schemas and rules: every kind of schema, with and without bounds, and expressions with all variables and functions that rules can
 * use.
 *
 * Rules compile; they need not make sense. Start at {@link randomSchema} and {@link randomRule}.
 */
import type { Random } from '../random.ts';
import type { JsonObject } from '../../objects/object.ts';

/** Returns a bound for `keyword`, one of `counts`; sometimes none. */
function bounded(random: Random, keyword: string, counts: readonly number[]): JsonObject {
  return random.int(5) === 0 ? {} : { [keyword]: random.pick(counts) };
}

const ITEMS = [1, 2, 3, 5, 10, 16, 64];
const LENGTHS = [1, 5, 10, 63, 253];

/** Returns the schema of a spec with a field of every kind, and the given rules. */
export function randomSchema(random: Random, rules: readonly JsonObject[]): JsonObject {
  const string = (): JsonObject => ({ type: 'string', ...bounded(random, 'maxLength', LENGTHS) });
  const list = (items: JsonObject): JsonObject => ({ type: 'array', ...bounded(random, 'maxItems', ITEMS), items });
  const map = (values: JsonObject): JsonObject => ({
    type: 'object',
    ...bounded(random, 'maxProperties', ITEMS),
    additionalProperties: values,
  });
  const part: JsonObject = {
    type: 'object',
    required: ['key', ...(random.int(2) === 0 ? ['size'] : [])],
    properties: { key: string(), size: { type: 'integer' }, words: list(string()) },
  };
  return {
    type: 'object',
    ...(random.int(2) === 0 ? { required: ['name', 'count'] } : {}),
    'x-kubernetes-validations': rules,
    properties: {
      count: { type: 'integer' },
      ratio: { type: 'number' },
      flag: { type: 'boolean' },
      name: string(),
      mode: { type: 'string', enum: ['Always', 'Never', 'IfNotPresent'] },
      raw: { type: 'string', format: 'byte', ...bounded(random, 'maxLength', LENGTHS) },
      until: { type: 'string', format: 'date-time' },
      every: { type: 'string', format: 'duration' },
      port: { 'x-kubernetes-int-or-string': true },
      'dash-ed': string(),
      namespace: string(),
      words: list(string()),
      numbers: list({ type: 'integer' }),
      set: { ...list(string()), 'x-kubernetes-list-type': 'set' },
      parts: { ...list(part), 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['key'] },
      labels: map(string()),
      limits: map({ type: 'integer' }),
      groups: map(list(string())),
      matrix: list(list({ type: 'integer' })),
      deep: {
        type: 'object',
        properties: {
          er: {
            type: 'object',
            properties: { words: list(string()), labels: map(string()), parts: list(part), name: string() },
          },
        },
      },
    },
  };
}

type Kind = 'bool' | 'int' | 'double' | 'string' | 'bytes' | 'time' | 'span' | 'dyn' | 'strings' | 'ints' | 'parts';
type KindOrMap = Kind | 'part' | 'texts' | 'amounts' | 'lists';

interface Variable {
  readonly name: string;
  readonly kind: KindOrMap;
}

const FIELDS: { readonly [kind in KindOrMap]: readonly string[] } = {
  bool: ['self.flag', 'has(self.name)', 'has(self.deep.er.words)', 'has(self.labels.a)'],
  int: ['self.count', 'self.numbers[0]', 'self.limits["a"]', 'self.limits.a', 'self.matrix[0][1]'],
  double: ['self.ratio'],
  string: [
    'self.name',
    'self.mode',
    'self.dash__dash__ed',
    'self.namespace',
    'self.__namespace__',
    'self.words[0]',
    'self.labels["a"]',
    'self.labels.a',
    'self.parts[0].key',
    'self.deep.er.name',
    'self.deep.er.words[1]',
    'oldSelf.name',
    'self.groups["a"][0]',
  ],
  bytes: ['self.raw'],
  time: ['self.until'],
  span: ['self.every'],
  dyn: ['self.port', 'dyn(self.name)', 'dyn(self.words)'],
  strings: ['self.words', 'self.set', 'self.deep.er.words', 'self.groups["a"]', 'self.parts[0].words', 'oldSelf.words'],
  ints: ['self.numbers', 'self.matrix[0]'],
  parts: ['self.parts', 'self.deep.er.parts', 'oldSelf.parts'],
  part: ['self.parts[0]', 'self.deep.er.parts[1]'],
  texts: ['self.labels', 'self.deep.er.labels'],
  amounts: ['self.limits'],
  lists: ['self.groups'],
};

const LITERALS: { readonly [kind in Kind]?: readonly string[] } = {
  bool: ['true', 'false'],
  int: ['0', '1', '-3', '42'],
  double: ['1.5', '-0.25'],
  string: ['""', '"a"', '"abc"', '"é"', 'r"\\d+"', '"a longer text than the others"'],
  bytes: ['b"ab"'],
  time: ['timestamp("2024-01-02T03:04:05Z")'],
  span: ['duration("90m")'],
  strings: ['["a", "bc"]'],
  ints: ['[1, 2, 3]', '[7]'],
};

/** Returns one rule of type bool. */
export function randomRule(random: Random): string {
  return new Grammar(random).expression('bool', 4, []);
}

export function randomMessage(random: Random): string {
  return new Grammar(random).expression('string', 3, []);
}

class Grammar {
  readonly #random: Random;
  #names = 0;

  constructor(random: Random) {
    this.#random = random;
  }

  expression(kind: KindOrMap, depth: number, scope: readonly Variable[]): string {
    const random = this.#random;
    const variables = scope.filter((one) => one.kind === kind).map((one) => one.name);
    if (variables.length > 0 && random.int(3) > 0) return random.pick(variables);
    const makers = depth <= 0 ? [] : this.#makers(kind, depth - 1, scope);
    if (makers.length > 0 && random.int(6) > 0) return random.pick(makers)();
    const literals = LITERALS[kind as Kind] ?? [];
    const fields = FIELDS[kind];
    return random.int(4) === 0 && literals.length > 0 ? random.pick(literals) : random.pick(fields);
  }

  #makers(kind: KindOrMap, depth: number, scope: readonly Variable[]): readonly (() => string)[] {
    const e = (of: KindOrMap, more: readonly Variable[] = []): string =>
      this.expression(of, depth, [...scope, ...more]);
    const random = this.#random;
    const name = (): string => `v${this.#names++}`;
    const over = (of: KindOrMap, macro: string, result: KindOrMap, more = ''): string => {
      const variable = name();
      const inner = [{ name: variable, kind: ITEM[of] ?? 'string' }];
      return `${e(of)}.${macro}(${variable}, ${more === '' ? '' : `${e('bool', inner)}, `}${e(result, inner)})`;
    };
    const over2 = (of: KindOrMap, macro: string, result: KindOrMap, filter = false): string => {
      const [key, value] = [name(), name()];
      const inner = [
        { name: key, kind: KEY[of] ?? 'int' },
        { name: value, kind: VALUE[of] ?? ITEM[of] ?? 'string' },
      ];
      return `${e(of)}.${macro}(${key}, ${value}, ${filter ? `${e('bool', inner)}, ` : ''}${e(result, inner)})`;
    };
    const range = (): KindOrMap => random.pick(['strings', 'ints', 'parts', 'texts', 'amounts', 'lists'] as const);
    const list = (): KindOrMap => random.pick(['strings', 'ints', 'parts'] as const);
    const scalar = (): Kind => random.pick(['int', 'string', 'double', 'bool', 'time', 'span', 'bytes'] as const);
    const choice = (): string => `(${e('bool')} ? ${e(kind)} : ${e(kind)})`;
    switch (kind) {
      case 'bool':
        return [
          () => `(${e('bool')} ${random.pick(['&&', '||'])} ${e('bool')})`,
          () => `!(${e('bool')})`,
          () => {
            const of = random.pick([scalar(), 'strings', 'ints', 'parts', 'texts', 'part'] as const);
            return `${e(of)} ${random.pick(['==', '!='])} ${e(of)}`;
          },
          () => {
            const of = random.pick(['int', 'string', 'double', 'bytes', 'time', 'span'] as const);
            return `${e(of)} ${random.pick(['<', '<=', '>', '>='])} ${e(of)}`;
          },
          () => `${e('int')} < ${e('double')}`,
          () => `${e('dyn')} == ${e(scalar())}`,
          () => `(${e('string')} in ${e('strings')})`,
          () => `(${e('string')} in ${e('texts')})`,
          () => `${e('string')}.${random.pick(['contains', 'startsWith', 'endsWith'])}(${e('string')})`,
          () => `${e('string')}.matches(${random.pick(['"^a+$"', 'self.name', '"[a-z]([-a-z0-9]*[a-z0-9])?"'])})`,
          () => over(range(), random.pick(['all', 'exists', 'exists_one']), 'bool'),
          () => over2(range(), random.pick(['all', 'exists', 'existsOne']), 'bool'),
          () => `sets.${random.pick(['contains', 'equivalent', 'intersects'])}(${e('strings')}, ${e('strings')})`,
          () => `${e(random.pick(['strings', 'ints'] as const))}.isSorted()`,
          () => `isURL(${e('string')})`,
          () => `url(${e('string')}) == url(${e('string')})`,
          () => `quantity(${e('string')}).isGreaterThan(quantity(${e('string')}).add(1))`,
          () => `quantity(${e('string')}) == quantity(${e('string')})`,
          () => `isQuantity(${e('string')})`,
          () => `ip(${e('string')}) == ip(${e('string')})`,
          () => `ip(${e('string')}).isLoopback()`,
          () => `isIP(${e('string')})`,
          () => `ip.isCanonical(${e('string')})`,
          () => `cidr(${e('string')}).containsIP(${random.pick(['ip(self.name)', 'self.name', '"10.0.0.1"'])})`,
          () => `cidr(${e('string')}).containsCIDR(${random.pick(['cidr(self.name)', 'self.name'])})`,
          () => `!format.dns1123Label().validate(${e('string')}).hasValue()`,
          () => `semver(${e('string')}).isLessThan(semver(${e('string')}, true))`,
          () => `self.?name.orValue("x") == ${e('string')}`,
          () => `self.?deep.er.name.hasValue()`,
          () => `self.labels[?"a"].orValue(${e('string')}) == "b"`,
          () => `self.?name.optMap(o, o + ${e('string')}).orValue("") == "a"`,
          () => `self.?name.optFlatMap(o, optional.ofNonZeroValue(o)).hasValue()`,
          () => `type(${e('dyn')}) == ${random.pick(['int', 'string'])}`,
          () => `${e('time')}.getFullYear() > 2000`,
          () => `(${e('int')} in ${e('ints')})`,
          () => `${e('part')} == null`,
        ];
      case 'int':
        return [
          () => `(${e('int')} ${random.pick(['+', '-', '*', '/', '%'])} ${e('int')})`,
          () => `-(${e('int')})`,
          () => `size(${e(random.pick(['string', 'strings', 'ints', 'parts', 'texts', 'bytes'] as const))})`,
          () => `${e(random.pick(['string', 'strings', 'parts'] as const))}.size()`,
          () => `int(${e(random.pick(['string', 'double', 'time'] as const))})`,
          () => `${e('ints')}.${random.pick(['sum', 'min', 'max'])}()`,
          () => `${e('strings')}.${random.pick(['indexOf', 'lastIndexOf'])}(${e('string')})`,
          () => `${e('string')}.${random.pick(['indexOf', 'lastIndexOf'])}(${e('string')})`,
          () => `${e('part')}.size`,
          () => `${e('ints')}[${e('int')}]`,
          () => `quantity(${e('string')}).asInteger()`,
          choice,
        ];
      case 'double':
        return [
          () => `(${e('double')} + ${e('double')})`,
          () => `double(${e(random.pick(['int', 'string'] as const))})`,
          choice,
        ];
      case 'string':
        return [
          () => `(${e('string')} + ${e('string')})`,
          () => `string(${e(random.pick(['int', 'double', 'bytes', 'bool', 'time'] as const))})`,
          () => `${e('string')}.${random.pick(['lowerAscii', 'upperAscii', 'trim'])}()`,
          () => `${e('string')}.substring(1)`,
          () => `${e('string')}.charAt(0)`,
          () => `${e('string')}.replace(${e('string')}, ${e('string')})`,
          () => `${e('string')}.replace("a", "bcd", 3)`,
          () => `${e('string')}.find(${random.pick(['"a+"', 'self.name'])})`,
          () => `${e('strings')}.join(${random.pick(['', '","', 'self.name'])})`,
          () => `"%s and %d".format([${e('string')}, ${e('int')}])`,
          () => `strings.quote(${e('string')})`,
          () => `${e('strings')}[${e('int')}]`,
          () => `${e('texts')}[${e('string')}]`,
          () => `${e('part')}.key`,
          () => `${e('strings')}.${random.pick(['min', 'max'])}()`,
          () => `url(${e('string')}).${random.pick(['getHost', 'getEscapedPath'])}()`,
          () => `${e('strings')}.first().orValue("x")`,
          choice,
        ];
      case 'bytes':
        return [() => `bytes(${e('string')})`, choice];
      case 'time':
        return [() => `timestamp(${e('string')})`, () => `(${e('time')} + ${e('span')})`];
      case 'span':
        return [() => `(${e('time')} - ${e('time')})`, () => `duration(${e('string')})`];
      case 'dyn':
        return [() => `dyn(${e(scalar())})`];
      case 'strings':
        return [
          () => `[${e('string')}, ${e('string')}]`,
          () => `(${e('strings')} + ${e('strings')})`,
          () => over(range(), 'map', 'string'),
          () => over(range(), 'map', 'string', 'filtered'),
          () => {
            const variable = name();
            return `${e('strings')}.filter(${variable}, ${e('bool', [{ name: variable, kind: 'string' }])})`;
          },
          () => over2(list(), 'transformList', 'string', random.int(2) === 0),
          () => `${e('string')}.split(${random.pick(['","', '",", 3'])})`,
          () => `${e('string')}.findAll(${random.pick(['"a+"', '"a", 2'])})`,
          () => `${e('strings')}.${random.pick(['sort', 'reverse', 'distinct'])}()`,
          () => `${e('strings')}.slice(0, ${random.pick(['2', 'self.count'])})`,
          () => {
            const variable = name();
            return `${e('strings')}.sortBy(${variable}, ${e('int', [{ name: variable, kind: 'string' }])})`;
          },
          () => `${e('part')}.words`,
          choice,
        ];
      case 'ints':
        return [
          () => `[${e('int')}]`,
          () => `(${e('ints')} + ${e('ints')})`,
          () => over(range(), 'map', 'int'),
          () => `lists.range(${random.pick(['3', '20', 'self.count'])})`,
          () => `${e('ints')}.${random.pick(['sort', 'reverse', 'distinct'])}()`,
          () => `self.matrix.flatten()`,
          choice,
        ];
      case 'parts':
        return [
          () => {
            const variable = name();
            return `${e('parts')}.filter(${variable}, ${e('bool', [{ name: variable, kind: 'part' }])})`;
          },
          () => `(${e('parts')} + ${e('parts')})`,
        ];
      case 'part':
        return [() => `${e('parts')}[${e('int')}]`];
      case 'texts':
        return [
          () => over2(random.pick(['texts', 'amounts'] as const), 'transformMap', 'string', random.int(2) === 0),
          () => `{"a": ${e('string')}, ${e('string')}: "b"}`,
        ];
      case 'amounts':
        return [() => over2('texts', 'transformMap', 'int')];
      default:
        return [];
    }
  }
}

/** The type of the variable of a one-variable comprehension, by range. */
const ITEM: { readonly [range: string]: KindOrMap } = {
  strings: 'string',
  ints: 'int',
  parts: 'part',
  texts: 'string',
  amounts: 'string',
  lists: 'string',
};
/** The types of the variables of a two-variable comprehension, by range. */
const KEY: { readonly [range: string]: KindOrMap } = { texts: 'string', amounts: 'string', lists: 'string' };
const VALUE: { readonly [range: string]: KindOrMap } = { texts: 'string', amounts: 'int', lists: 'strings' };
