/** Pod templates and the selectors that must match them, for all workload kinds. */
import type { JsonObject, JsonValue, KubeObject } from '../../../objects/object.ts';
import { labelsMatch, parseLabelSelector, selectorText } from '../../selectors.ts';
import { validatePodSpec } from './pod-spec.ts';
import { mapOf, type Problems } from './problems.ts';

/** Validates a template on its own. */
export function validateTemplate(template: JsonObject, path: string, found: Problems): void {
  const metadata = mapOf(template['metadata']);
  found.labels(`${path}.labels`, mapOf(metadata['labels']));
  for (const key of Object.keys(mapOf(metadata['annotations'])))
    found.qualifiedName(`${path}.annotations`, key.toLowerCase());
  validatePodSpec(mapOf(template['spec']), `${path}.spec`, found);
}

/** Validates a template with restartPolicy Always. `owner`: Go's name of the kind, for kinds that refuse a deadline. */
export function validateLastingTemplate(template: JsonObject, path: string, owner: string, found: Problems): void {
  validateTemplate(template, path, found);
  const spec = mapOf(template['spec']);
  if (spec['restartPolicy'] !== 'Always')
    found.unsupported(`${path}.spec.restartPolicy`, spec['restartPolicy'], ['Always']);
  if (spec['activeDeadlineSeconds'] !== undefined)
    found.forbidden(`${path}.spec.activeDeadlineSeconds`, `activeDeadlineSeconds in ${owner} is not Supported`);
}

/** Checks that the selector is present and not empty; returns false if it is malformed. `kind`: the kind in Go's message. */
export function validateSelector(spec: JsonObject, path: string, kind: string, found: Problems): boolean {
  const selector = spec['selector'] ?? undefined;
  if (selector === undefined) {
    found.required(`${path}.selector`);
    return true;
  }
  const before = found.list.length;
  found.labelSelector(`${path}.selector`, selector);
  const isValid = found.list.length === before;
  if (isEmptySelector(mapOf(selector)))
    found.invalid(`${path}.selector`, selector, `empty selector is invalid for ${kind}`);
  return isValid;
}

export function validateMatch(spec: JsonObject, path: string, found: Problems): void {
  const selector = spec['selector'] ?? undefined;
  const labels = mapOf(mapOf(spec['template'])['metadata'])['labels'];
  if (selector !== undefined && isEmptySelector(mapOf(selector))) return;
  if (!matches(selector, mapOf(labels)))
    found.invalid(`${path}.template.metadata.labels`, labels, '`selector` does not match template `labels`');
}

/** Reports whether a selector matches labels. An absent selector matches nothing; an invalid one is reported elsewhere. */
export function matches(selector: JsonValue | undefined, labels: JsonObject): boolean {
  if ((selector ?? undefined) === undefined) return false;
  const matcher = parseLabelSelector(selectorText(selector));
  return typeof matcher === 'string' || labelsMatch(matcher, { metadata: { labels } } as unknown as KubeObject);
}

function isEmptySelector({ matchLabels, matchExpressions }: JsonObject): boolean {
  const count = Object.keys(mapOf(matchLabels)).length;
  return count === 0 && (!Array.isArray(matchExpressions) || matchExpressions.length === 0);
}
