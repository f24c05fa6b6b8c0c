/**
 * The LimitRanger admission plugin: default requests and limits of containers, and checks of minimum and maximum.
 *
 * Owns: the plugin for containers and claims, with its messages. Not covered: totals of whole pods, and limit/request ratios.
 */
import type { JsonObject, JsonValue } from '../../objects/object.ts';
import type { Stored } from '../definition.ts';
import { mapsOf } from '../../objects/json.ts';
import { aggregated } from '../refusal.ts';
import { mapIn } from './defaults/rules.ts';
import { fill, inItems } from './fill.ts';
import { compareQuantities } from './quantity.ts';

/** The annotation that lists the defaults. */
const LIMIT_ANNOTATION = 'kubernetes.io/limit-ranger';

/** Returns the limits of one type in a namespace, from all its LimitRanges. */
function limitsOf(stored: Stored, namespace: string, type: string): readonly JsonObject[] {
  const ranges = stored('limitranges').filter(({ metadata }) => metadata.namespace === namespace);
  return ranges.flatMap((range) => {
    return mapsOf(mapIn(range, 'spec')['limits']).filter((limit) => limit['type'] === type);
  });
}

/** Returns a pod whose containers have the default requests and limits; the same pod when no LimitRange applies. */
export function fillPodLimits(pod: JsonObject, stored: Stored, namespace: string): JsonObject {
  const limits = limitsOf(stored, namespace, 'Container');
  if (limits.length === 0) return pod;
  const notes: string[] = [];
  let spec = mapIn(pod, 'spec');
  for (const limit of limits)
    for (const [field, what] of [
      ['containers', 'container'],
      ['initContainers', 'init container'],
    ] as const)
      spec = inItems(spec, field, (container) => withDefaults(container, limit, what, notes));
  if (notes.length === 0) return pod;
  const metadata = mapIn(pod, 'metadata');
  const annotations = {
    ...mapIn(metadata, 'annotations'),
    [LIMIT_ANNOTATION]: `LimitRanger plugin set: ${notes.join('; ')}`,
  };
  return { ...pod, metadata: { ...metadata, annotations }, spec };
}

/** Returns why a pod is refused (checked after webhooks); undefined when it is allowed. */
export function forbidPod(pod: JsonObject, stored: Stored, namespace: string): string | undefined {
  const spec = mapIn(pod, 'spec');
  const containers = [...mapsOf(spec['containers']), ...mapsOf(spec['initContainers'])];
  const errors = limitsOf(stored, namespace, 'Container').flatMap((limit) =>
    containers.flatMap((one) => {
      const resources = mapIn(one, 'resources');
      return [...outside(resources, limit, 'Container', 'min'), ...outside(resources, limit, 'Container', 'max')];
    }),
  );
  return forbidding(errors);
}

function withDefaults(container: JsonObject, limit: JsonObject, what: string, notes: string[]): JsonObject {
  const before = mapIn(container, 'resources');
  let resources = before;
  for (const [from, to, noun] of [
    ['defaultRequest', 'requests', 'request'],
    ['default', 'limits', 'limit'],
  ] as const) {
    const present = mapIn(resources, to);
    const filled = fill(present, mapIn(limit, from));
    if (filled === present) continue;
    const added = Object.keys(filled).filter((name) => present[name] === undefined);
    const name = typeof container['name'] === 'string' ? container['name'] : '';
    notes.push(`${added.toSorted().join(', ')} ${noun} for ${what} ${name}`);
    resources = { ...resources, [to]: filled };
  }
  return resources === before ? container : { ...container, resources };
}

/** Returns why a claim is refused; undefined when it is allowed. */
export function forbidClaim(claim: JsonObject, stored: Stored, namespace: string): string | undefined {
  const limits = limitsOf(stored, namespace, 'PersistentVolumeClaim');
  const { requests } = mapIn(mapIn(claim, 'spec'), 'resources');
  const asked: JsonObject = requests === undefined ? {} : { requests };
  const errors = limits.flatMap((limit) => [
    ...outside(asked, limit, 'PersistentVolumeClaim', 'min'),
    ...asksTooMuch(mapIn(asked, 'requests'), mapIn(limit, 'max')),
  ]);
  return forbidding(errors);
}

function outside(resources: JsonObject, limit: JsonObject, type: string, side: 'min' | 'max'): readonly string[] {
  const [first, second] = side === 'min' ? (['request', 'limit'] as const) : (['limit', 'request'] as const);
  const exceeds = (value: JsonValue, bound: JsonValue): boolean =>
    side === 'min' ? compareQuantities(value, bound) < 0 : compareQuantities(value, bound) > 0;
  const errors: string[] = [];
  for (const [name, bound = 0] of Object.entries(mapIn(limit, side))) {
    const text = `${side}imum ${name} usage per ${type} is ${shown(bound)}`;
    const [asked, other] = [mapIn(resources, `${first}s`)[name], mapIn(resources, `${second}s`)[name]];
    if (asked === undefined) errors.push(`${text}.  No ${first} is specified`);
    else if (exceeds(asked, bound)) errors.push(`${text}, but ${first} is ${shown(asked)}`);
    else if (other !== undefined && exceeds(other, bound)) errors.push(`${text}, but ${second} is ${shown(other)}`);
  }
  return errors;
}

function asksTooMuch(requests: JsonObject, max: JsonObject): readonly string[] {
  const errors: string[] = [];
  for (const [name, most] of Object.entries(max)) {
    const request = requests[name];
    const bound = `maximum ${name} usage per PersistentVolumeClaim is ${shown(most)}`;
    if (request === undefined) errors.push(`${bound}.  No request is specified`);
    else if (compareQuantities(request, most ?? 0) > 0) errors.push(`${bound}, but request is ${shown(request)}`);
  }
  return errors;
}

function shown(quantity: JsonValue | undefined): string {
  return typeof quantity === 'string' ? quantity : JSON.stringify(quantity);
}

function forbidding(errors: readonly string[]): string | undefined {
  return errors.length === 0 ? undefined : aggregated([...new Set(errors)]);
}
