import { describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '../../objects/object.ts';
import { fieldErrorBody } from '../refusal.ts';
import { compileSchema } from '../schema/compile.ts';

/** A spec with a field of every type that rules treat differently. */
const PROPERTIES: JsonObject = {
  count: { type: 'integer' },
  name: { type: 'string' },
  list: { type: 'array', items: { type: 'string' } },
  set: { type: 'array', 'x-kubernetes-list-type': 'set', items: { type: 'string' } },
  parts: {
    type: 'array',
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': ['key'],
    items: { type: 'object', properties: { key: { type: 'string' }, size: { type: 'integer' } } },
  },
  port: { 'x-kubernetes-int-or-string': true },
  labels: { type: 'object', additionalProperties: { type: 'string' } },
  until: { type: 'string', format: 'date-time' },
  every: { type: 'string', format: 'duration' },
  raw: { type: 'string', format: 'byte' },
  note: { type: 'string', nullable: true },
  namespace: { type: 'string' },
  'dash-ed': { type: 'string' },
};

const SPEC: JsonObject = {
  count: 3,
  name: 'hello',
  list: ['a', 'b'],
  set: ['p', 'q'],
  parts: [
    { key: 'a', size: 1 },
    { key: 'b', size: 2 },
  ],
  port: 80,
  labels: { one: 'x' },
  until: '2024-01-02T03:04:05Z',
  every: '1h30m',
  raw: 'aGVsbG8=',
  note: null,
  namespace: 'w',
  'dash-ed': 'd',
};

interface Judged {
  readonly rules: readonly JsonObject[];
  readonly spec?: JsonObject;
  readonly old?: JsonObject;
  readonly properties?: JsonObject;
}

/** Returns `field: message` for each error in a spec under the given rules, and the warnings. */
function check({ rules, spec = SPEC, old, properties = PROPERTIES }: Judged): readonly string[] {
  const schema = compileSchema({
    type: 'object',
    properties: { spec: { type: 'object', 'x-kubernetes-validations': rules, properties } },
  });
  const object = (value: JsonValue) => ({
    apiVersion: 'example.com/v1',
    kind: 'Widget',
    metadata: { name: 'a' },
    spec: value,
  });
  const warnings: string[] = [];
  const errors = schema.validate(object(spec), old === undefined ? undefined : object(old), warnings);
  return [
    ...errors.map((error) => `${error.field}: ${fieldErrorBody(error)}`),
    ...warnings.map((text) => `warning ${text}`),
  ];
}

const holds = (rule: string): readonly string[] => check({ rules: [{ rule }] });

describe('values (125)', () => {
  it.each([
    'self.count == 3',
    'self.count / 2 == 1',
    'self.count > 2.5',
    'self.port == 80',
    'type(self.port) == int',
    'self.until < timestamp("2025-01-01T00:00:00Z")',
    'self.every == duration("90m")',
    'self.raw == b"hello"',
    '!has(self.note)',
    'has(self.name) && has(self.parts[0].size) && self.parts.all(part, has(part.key))',
    'self.__namespace__ == "w"',
    'self.namespace == "w" && has(self.namespace) && [self].all(s, has(s.namespace))',
    'format.dns1123Label().validate(self.name) == null || format.dns1123Label().validate(self.name) != null',
    'null != self.parts[0] && self.until != null && self.every != null && quantity("1") != null',
    'self.?note != null && self.?name == optional.of("hello") && optional.none() == self.?note',
    'self.?name.optMap(n, n + "!").orValue("") == "hello!" && !self.?note.optMap(n, n).hasValue()',
    'self.?name.optFlatMap(n, optional.ofNonZeroValue(n)).hasValue() && !optional.ofNonZeroValue(0).hasValue()',
    'self.dash__dash__ed == "d"',
    'self.labels.one == "x" && "one" in self.labels',
    'self.labels[?"two"].orValue("none") == "none"',
    'string(self.until) == "2024-01-02T03:04:05Z" && int(self.until) == 1704164645',
    'string(self.every) == "5400s" && int(duration("1.5s")) == 1500000000',
    'b"a" < b"b" && self.raw >= b"hello" && !(b"b" <= b"a") && b"b" > b"a"',
    'matches(self.name, "l+") && !matches(self.name, "^x")',
    '[optional.of(1), optional.none()].unwrapOpt() == [1] && optional.unwrap([optional.of("a")]) == ["a"]',
  ])('%s', (rule) => {
    expect(holds(rule)).toEqual([]);
  });

  it('compares sets without order, lists with it', () => {
    expect(holds('self.set == ["q", "p"]')).toEqual([]);
    expect(holds('self.list == ["b", "a"]')).toHaveLength(1);
  });

  it('adds only new items to sets and maps', () => {
    expect(holds('size(self.set + ["q", "r"]) == 3')).toEqual([]);
    expect(holds('size(self.parts + self.parts) == 2')).toEqual([]);
  });
});

describe('libraries (125)', () => {
  it.each([
    'self.list.all(index, value, index < 2 && value != "z")',
    'self.list.transformList(i, v, v + "x") == ["ax", "bx"]',
    'self.labels.transformMap(k, v, v + k) == {"one": "xone"}',
    'self.parts.map(p, p.size).sum() == 3',
    '[3, 1, 2].sort() == [1, 2, 3] && [3, 1].max() == 3 && [1, 2].isSorted()',
    '"%s is %d".format([self.name, self.count]) == "hello is 3"',
    'self.name.matches(r"""^(?i)[A-Z]+$""") && !self.name.matches("^x") && self.name != "has(x)"',
    'self.name.find("l+") == "ll" && self.name.findAll("l").size() == 2',
    String.raw`"a_b".findAll("\\_.") == ["_b"] && "baac".findAll("a*") == ["", "aa", ""]`,
    'sets.contains(self.list, ["a"]) && !sets.intersects(self.list, ["z"])',
    'quantity("1Gi").isGreaterThan(quantity("1G")) && quantity("1500m").add(1).compareTo(quantity("2.5")) == 0',
    'ip("10.1.2.3").family() == 4 && cidr("10.0.0.0/8").containsIP("10.1.2.3") && !isIP("x")',
    'ip.isCanonical("::1") && !ip.isCanonical("0::1")',
    'url("https://a.b:80/p?q=1").getHostname() == "a.b" && isURL("/p")',
    'semver("1.2.3").isGreaterThan(semver("1.2.3-rc.1")) && semver("v1.2", true).patch() == 0',
    '!format.dns1123Label().validate("ok").hasValue() && format.dns1123Label().validate("NO").hasValue()',
  ])('%s', (rule) => {
    expect(holds(rule)).toEqual([]);
  });
});

describe('messages of a broken rule (125)', () => {
  it('shows the rule, its message, or the result of its message expression', () => {
    expect(
      check({
        rules: [
          { rule: 'self.count > 5' },
          { rule: 'self.count > 6', message: 'too few' },
          { rule: 'self.count > 7', message: 'too few', messageExpression: '"only " + string(self.count)' },
        ],
      }),
    ).toEqual([
      'spec: Invalid value: failed rule: self.count > 5',
      'spec: Invalid value: too few',
      'spec: Invalid value: only 3',
    ]);
  });

  it('takes reason and field path from the rule', () => {
    expect(
      check({ rules: [{ rule: 'false', reason: 'FieldValueForbidden', fieldPath: '.name', message: 'no' }] }),
    ).toEqual(['spec.name: Forbidden: no']);
  });

  it('shows the value of scalars', () => {
    const properties = { count: { type: 'integer', 'x-kubernetes-validations': [{ rule: 'self > 5' }] } };

    expect(check({ rules: [], properties, spec: { count: 3 } })).toEqual([
      'spec.count: Invalid value: 3: failed rule: self > 5',
    ]);
  });

  it.each([
    ['self.count / 0 == 1', 'division by zero evaluating rule: self.count / 0 == 1'],
    ['self.list[7] == "a"', 'index out of bounds: 7 evaluating rule: self.list[7] == "a"'],
    ['self.labels["x"] == ""', 'no such key: x evaluating rule: self.labels["x"] == ""'],
    [
      'self.port.startsWith("a")',
      '\'no such overload\': call arguments did not match a supported operator, function or macro signature for rule: self.port.startsWith("a")',
    ],
  ])('reports the failure of %s', (rule, text) => {
    expect(holds(rule)).toEqual([`spec: Invalid value: "object": ${text}`]);
  });

  it('recognises macros only with their own number of arguments', () => {
    expect(holds('self.list.existsOne(i, v, v == "a")')).toEqual([]);
    expect(holds('self.list.existsOne(self.name, true)')).toEqual([
      expect.stringContaining("undeclared reference to 'existsOne' (in container '')"),
    ]);
  });

  it('does not run after other errors', () => {
    expect(check({ rules: [{ rule: 'false' }], spec: { count: 'x' } })).toEqual([
      'spec.count: Invalid value: "string": spec.count in body must be of type integer: "string"',
      '<nil>: Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation',
    ]);
  });
});

describe('transitions and ratcheting (125, 126)', () => {
  it('runs transition rules on updates only', () => {
    const rules = [{ rule: 'self.count >= oldSelf.count' }];

    expect(check({ rules })).toEqual([]);
    expect(check({ rules, old: { count: 9 } })).toEqual([
      'spec: Invalid value: failed rule: self.count >= oldSelf.count',
    ]);
  });

  it('always runs rules with an optional oldSelf', () => {
    const rules = [{ rule: 'oldSelf.hasValue() && self.count == oldSelf.value().count', optionalOldSelf: true }];

    expect(check({ rules })).toHaveLength(1);
    expect(check({ rules, old: { count: 3 } })).toEqual([]);
  });

  it('finds the old item of a list map by its key', () => {
    const properties = {
      parts: {
        type: 'array',
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['key'],
        items: {
          type: 'object',
          properties: { key: { type: 'string' }, size: { type: 'integer' } },
          'x-kubernetes-validations': [{ rule: 'self.size >= oldSelf.size', message: 'never shrinks' }],
        },
      },
    };

    expect(
      check({
        rules: [],
        properties,
        spec: {
          parts: [
            { key: 'new', size: 0 },
            { key: 'a', size: 1 },
          ],
        },
        old: { parts: [{ key: 'a', size: 2 }] },
      }),
    ).toEqual(['spec.parts[1]: Invalid value: never shrinks']);
  });

  it('only warns of unchanged old errors', () => {
    const rules = [{ rule: 'self.count > 5', message: 'too few' }];
    const properties = { count: { type: 'integer' } };

    expect(check({ rules, properties, spec: { count: 1 }, old: { count: 1 } })).toEqual([
      'warning spec: Invalid value: too few',
    ]);
    expect(check({ rules, properties, spec: { count: 1 }, old: { count: 2 } })).toEqual([
      'spec: Invalid value: too few',
    ]);
  });
});
