import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../objects/object.ts';
import { compileNode } from '../../schema/node.ts';
import { compileRules } from '../rules.ts';
import { declaredOf, repeatedMax } from './declared.ts';
import { estimateCost } from './estimate.ts';
import { UNBOUNDED } from './sizes.ts';

const TEXT: JsonObject = { type: 'string' };
const SHORT: JsonObject = { type: 'string', maxLength: 10 };
const SCHEMA: JsonObject = {
  type: 'object',
  properties: {
    count: { type: 'integer' },
    flag: { type: 'boolean' },
    name: SHORT,
    text: TEXT,
    namespace: SHORT,
    mode: { type: 'string', enum: ['a', 'bcd'] },
    raw: { type: 'string', format: 'byte', maxLength: 10 },
    until: { type: 'string', format: 'date-time' },
    every: { type: 'string', format: 'duration' },
    port: { 'x-kubernetes-int-or-string': true },
    words: { type: 'array', maxItems: 10, items: SHORT },
    many: { type: 'array', items: SHORT },
    numbers: { type: 'array', maxItems: 10, items: { type: 'integer' } },
    labels: { type: 'object', maxProperties: 10, additionalProperties: SHORT },
    parts: {
      type: 'array',
      maxItems: 10,
      items: { type: 'object', properties: { key: SHORT, words: { type: 'array', maxItems: 10, items: SHORT } } },
    },
    deep: {
      type: 'object',
      properties: { labels: { type: 'object', additionalProperties: SHORT, maxProperties: 10 } },
    },
  },
};

function costOf(rule: string, schema: JsonObject = SCHEMA): number {
  const properties = { self: { ...schema, 'x-kubernetes-validations': [{ rule }] } };
  const node = compileNode({ type: 'object', properties }).properties.get('self');
  const tree = compileRules(compileNode({ type: 'object', properties }))?.properties.get('self');
  const program = tree?.rules[0]?.program;
  const declared = node === undefined ? undefined : declaredOf(node, false);
  if (program === undefined || declared === undefined) throw new Error(tree?.rules[0]?.error ?? 'no rule');
  return estimateCost(program.parsed, declared, false);
}

describe('estimates of cost', () => {
  // The costs are those of cel-go 0.26 with the libraries of Kubernetes 1.36.
  it.each([
    ['self.flag', 2],
    ['!!self.flag && !(!self.flag)', 6],
    ['self.count == 3 || self.count > -3 || -(self.count) < 2', 9],
    ['self.count / 2 + self.count % 3 * 4 - 1 > 2', 10],
    ['self.name == self.text && self.text == self.text', 314585],
    ['self.namespace == self.name', 8],
    ['self.mode == "a" && self.mode.contains(self.mode)', 8],
    ['self.until < timestamp("2025-01-01T00:00:00Z") && self.every == duration("90m")', 8],
    ['type(self.port) == string && self.port.matches("[0-9]+%")', 629152],
    ['type(self.port) == int ? self.port < 5 : double(self.port.replace("%", "")) < 0.5', 629154],
    ['type(self.until) == google.protobuf.Timestamp', 4],
    ['has(self.name) && has(self.labels.a) && !has(self.deep.labels)', 6],
    ['self.words.all(x, x.contains(x))', 213],
    ['self.many.all(x, x == "a")', 5242878],
    ['self.many.all(x, self.many.exists(y, x == y))', 10995101597703],
    ['self.words.exists_one(w, w == "a") && self.words.existsOne(i, w, w == "a")', 88],
    ['self.words.map(w, w + "a").filter(w, w != self.text).size() > 1', 366],
    ['self.words.map(w, w > "a", w.size()).sum() > 3', 184],
    ['self.labels.all(k, self.labels[k] == k)', 83],
    ['self.labels.all(k, v, k.contains(v))', 53],
    ['self.deep.labels.all(k, v, k.contains(v))', 214],
    ['self.labels.transformMap(k, v, v + k).a == "b"', 124],
    ['self.labels.transformMapEntry(k, v, {v: k}).size() == 1', 375],
    ['self.words.transformList(i, w, i > 1, w) == ["a"]', 174],
    ['self.parts.all(p, p.words.all(w, w == p.key))', 4063],
    ['self.parts.all(p, p.key.startsWith(p.words[0]) && p.words[1].contains(p.key))', 333],
    ['[1, 2].all(x, x == 1) && ["a", self.name].all(x, x.contains(x))', 42],
    ['(self.flag ? self.words : self.many).all(w, w.contains(w))', 5242880],
    ['(self.words + self.many).all(w, w.contains(w))', 5242931],
    ['{"a": self.words}.all(k, v, v.all(w, w == k))', 38],
    ['dyn(self.words).all(x, x == 1) && dyn(self.name).size() > 1', 49],
    ['self.text.matches("^[a-z]+$") && matches(self.text, "a+")', 629151],
    ['self.text.contains(self.text)', 98956172333],
    ['self.text.replace("", "abc").size() > 1 && self.text.replace("abc", "") == self.text', 1572873],
    ['self.text.split(",").size() > 1 && self.text.split(",", 3).all(x, x == "a")', 1258311],
    ['self.words.join(",").size() > 3', 45],
    ['self.text.find("a+") == self.text && self.text.findAll("a+").size() > 1', 943727],
    ['self.text.lowerAscii().trim().substring(1).charAt(0) == "a"', 943723],
    ['"%s is %d".format([self.name, self.count]) == self.text', 314590],
    ['strings.quote(self.name) == self.text', 17],
    ['self.raw == bytes(self.name) && string(self.raw) == self.text', 15],
    ['self.name in self.words && self.name in self.labels && self.count in [1, 2, 3]', 34],
    ['self.words.isSorted() && self.numbers.isSorted() && self.words.indexOf("a") > self.text.indexOf("a")', 314692],
    ['self.words.sort() == self.words.distinct() && self.numbers.sort() == self.numbers.reverse()', 683],
    [
      'self.words.sortBy(w, w.size())[0] == "a" && self.words.slice(1, 3).size() == 2 && self.words.slice(3, 1).size() == 0',
      UNBOUNDED,
    ],
    ['[[1], [2]].flatten() == [1] && lists.range(10).all(x, x > 3)', 126],
    ['lists.range(self.count).all(x, x > 3)', UNBOUNDED],
    ['sets.contains(self.words, self.many) || sets.equivalent(self.words, self.many)', 31457260],
    ['quantity(self.text).isGreaterThan(quantity("1Gi").add(1)) && quantity(self.name) == quantity("1")', 314586],
    ['ip(self.text).isLoopback() && ip("10.0.0.1") == ip(self.name) && ip.isCanonical(self.text)', 943732],
    [
      'cidr(self.text).containsIP(self.text) && cidr(self.text).containsIP(ip(self.name)) && cidr(self.name).containsCIDR(self.name)',
      943758,
    ],
    ['cidr(self.name).ip() == ip("1.1.1.1") && cidr(self.name).containsCIDR(cidr(self.name))', 28],
    ['url(self.text).getHost() == "a" && url(self.text) == url(self.name)', 629162],
    ['semver(self.text).isLessThan(semver("v1", true)) && isSemver(self.text)', 629152],
    ['!format.dns1123Label().validate(self.text).hasValue() && format.uri() == format.named("uri").value()', 10066351],
    ['self.?name.orValue("x") == self.text && self.?deep.labels.hasValue()', 314581],
    ['self.labels[?"a"].orValue("b") == "c" && self.words[?0].or(optional.of("b")).value() == "c"', 12],
    ['self.?words.optMap(w, w.map(x, x + "a")).orValue([]).size() > 1', UNBOUNDED],
    ['self.?words.optMap(w, w).optMap(w, w).optMap(w, w).optFlatMap(w, optional.ofNonZeroValue(w)).hasValue()', 243],
    ['oldSelf.name == self.name', 8],
  ] as const)('of %s are those of cel-go', (rule, cost) => {
    expect(costOf(rule)).toBe(cost);
  });

  it('saturates at the largest 64-bit number, however deep loops are nested', () => {
    const loops = Array.from({ length: 20 }, (_, at) => `self.many.all(v${at}, `);

    expect(costOf(`${loops.join('')}true${')'.repeat(20)}`)).toBe(UNBOUNDED);
  });

  it('visits a chain of mapped optionals once, though its cost doubles with every link', () => {
    expect(costOf(`self.?words${'.optMap(w, w)'.repeat(60)}.hasValue()`)).toBeGreaterThan(2 ** 60);
  });
});

describe('the number of values that fit into a request', () => {
  it.each([
    [{ type: 'string' }, 1_048_576],
    [{ type: 'integer' }, 1_572_864],
    [{ type: 'string', format: 'date' }, 241_979],
    [{ type: 'string', format: 'date-time' }, 142_987],
    [{ type: 'boolean' }, 629_145],
    [
      {
        type: 'object',
        required: ['a', 'b', 'c'],
        properties: {
          a: { type: 'string' },
          b: { type: 'object', required: ['é'], properties: { é: { type: 'integer' } } },
          c: { type: 'string', default: '' },
        },
      },
      131_072,
    ],
  ])('of %j', (schema, count) => {
    const declared = declaredOf(compileNode(schema), false);

    expect(declared && repeatedMax(declared)).toBe(count);
  });

  it('is unknown for values that rules do not see', () => {
    expect(declaredOf(compileNode({ 'x-kubernetes-preserve-unknown-fields': true }), false)).toBeUndefined();
  });
});
