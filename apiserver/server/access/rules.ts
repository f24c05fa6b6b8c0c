/**
 * RBAC rules as data: reading them from roles, matching, covering.
 *
 * Owns: the comparisons of k8s.io/kubernetes `pkg/apis/rbac/v1/evaluation_helpers.go` and of component-helpers' `auth/rbac/validation`.
 * Does not own: which rules apply to a user (`rbac.ts`).
 */
import { isList, isMap, textOf, textsOf } from '../../objects/json.ts';
import type { JsonObject, JsonValue, KubeObject } from '../../objects/object.ts';
import type { Attributes } from './attributes.ts';

export interface PolicyRule {
  readonly verbs: readonly string[];
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly resourceNames: readonly string[];
  readonly nonResourceURLs: readonly string[];
}

export interface RoleRef {
  readonly apiGroup: string;
  readonly kind: string;
  readonly name: string;
}

const parsed = new WeakMap<KubeObject, readonly PolicyRule[]>();

/** Returns the rules of a stored role. */
export function rulesOf(role: KubeObject): readonly PolicyRule[] {
  let rules = parsed.get(role);
  if (rules === undefined) parsed.set(role, (rules = parseRules(role['rules'])));
  return rules;
}

export function parseRules(rules: JsonValue | undefined): readonly PolicyRule[] {
  if (!isList(rules)) return [];
  return rules.filter(isMap).map((rule) => ({
    verbs: textsOf(rule['verbs']),
    apiGroups: textsOf(rule['apiGroups']),
    resources: textsOf(rule['resources']),
    resourceNames: textsOf(rule['resourceNames']),
    nonResourceURLs: textsOf(rule['nonResourceURLs']),
  }));
}

export function roleRefOf(binding: JsonObject): RoleRef {
  const ref = isMap(binding['roleRef']) ? binding['roleRef'] : {};
  return { apiGroup: textOf(ref['apiGroup']), kind: textOf(ref['kind']), name: textOf(ref['name']) };
}

export function ruleAllows(rule: PolicyRule, asked: Attributes): boolean {
  if (!has(rule.verbs, asked.verb)) return false;
  if (!asked.isResource) return rule.nonResourceURLs.some((url) => urlCovers(url, asked.path));
  return (
    has(rule.apiGroups, asked.group) &&
    rule.resources.some((one) => resourceMatches(one, asked)) &&
    (rule.resourceNames.length === 0 || rule.resourceNames.includes(asked.name))
  );
}

function has(set: readonly string[], one: string): boolean {
  return set.includes('*') || set.includes(one);
}

function resourceMatches(rule: string, { resource, subresource }: Attributes): boolean {
  if (rule === '*') return true;
  if (subresource === '') return rule === resource;
  return rule === `${resource}/${subresource}` || rule === `*/${subresource}`;
}

function urlCovers(owned: string, path: string): boolean {
  if (owned === path) return true;
  return owned.endsWith('*') && path.startsWith(owned.replace(/\*+$/, ''));
}

/** Returns the part of `wanted` that `owned` does not cover, broken down to one verb, one resource and one name each. */
export function missingRules(owned: readonly PolicyRule[], wanted: readonly PolicyRule[]): readonly PolicyRule[] {
  return wanted.flatMap(broken).filter((part) => !owned.some((rule) => covers(rule, part)));
}

function broken(rule: PolicyRule): readonly PolicyRule[] {
  const parts: PolicyRule[] = [];
  const names = rule.resourceNames.length === 0 ? [[]] : rule.resourceNames.map((name) => [name]);
  for (const group of rule.apiGroups)
    for (const resource of rule.resources)
      for (const verb of rule.verbs)
        for (const resourceNames of names)
          parts.push({ apiGroups: [group], resources: [resource], verbs: [verb], resourceNames, nonResourceURLs: [] });
  for (const url of rule.nonResourceURLs)
    for (const verb of rule.verbs)
      parts.push({ apiGroups: [], resources: [], verbs: [verb], resourceNames: [], nonResourceURLs: [url] });
  return parts;
}

function covers(owned: PolicyRule, part: PolicyRule): boolean {
  return (
    part.verbs.every((verb) => has(owned.verbs, verb)) &&
    part.apiGroups.every((group) => has(owned.apiGroups, group)) &&
    part.resources.every((resource) => coversResource(owned.resources, resource)) &&
    (owned.resourceNames.length === 0 ||
      (part.resourceNames.length > 0 && part.resourceNames.every((name) => owned.resourceNames.includes(name)))) &&
    part.nonResourceURLs.every((url) => owned.nonResourceURLs.some((one) => urlCovers(one, url)))
  );
}

function coversResource(owned: readonly string[], resource: string): boolean {
  if (owned.includes('*') || owned.includes(resource)) return true;
  const slash = resource.indexOf('/');
  return slash >= 0 && owned.includes(`*/${resource.slice(slash + 1)}`);
}

/** Returns the lines of an escalation error: parts that differ only by verb are joined, then sorted. */
export function describeRules(parts: readonly PolicyRule[]): string {
  const joined = new Map<string, PolicyRule>();
  for (const part of parts) {
    const key = JSON.stringify([part.apiGroups, part.resources, part.resourceNames, part.nonResourceURLs]);
    const before = part.nonResourceURLs.length > 0 ? undefined : joined.get(key);
    const unique = part.nonResourceURLs.length > 0 ? `${key} ${part.verbs.join()}` : key;
    joined.set(unique, before === undefined ? part : { ...before, verbs: [...before.verbs, ...part.verbs] });
  }
  return [...new Set([...joined.values()].map(describe))].sort().join('\n');
}

function describe(rule: PolicyRule): string {
  const parts: string[] = [];
  const add = (label: string, values: readonly string[]): void => {
    if (values.length > 0) parts.push(`${label}:${goStrings(values)}`);
  };
  add('APIGroups', rule.apiGroups);
  add('Resources', rule.resources);
  add('NonResourceURLs', rule.nonResourceURLs);
  add('ResourceNames', rule.resourceNames);
  add('Verbs', rule.verbs);
  return `{${parts.join(', ')}}`;
}

/** Returns a list as Go's %q prints it. */
export function goStrings(values: readonly string[]): string {
  return `[${values.map((one) => JSON.stringify(one)).join(' ')}]`;
}
