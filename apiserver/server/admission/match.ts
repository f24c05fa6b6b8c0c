/**
 * Which webhooks match a request, and in which version.
 *
 * Owns: rules, scope, selectors, and the match policy Equivalent. Mirrors k8s.io/apiserver `admission/plugin/webhook/generic` and
 * `predicates`. Start at {@link invocationOf}.
 */
import { isMap } from '../../objects/json.ts';
import type { JsonObject, JsonValue, KubeObject } from '../../objects/object.ts';
import { type ServedVersion } from '../definition.ts';
import type { ServerState } from '../server-state.ts';
import type { Call } from '../call.ts';
import { notFound, type Refusal } from '../refusal.ts';
import { labelsMatch, parseLabelSelector, selectorText } from '../selectors.ts';
import { rowKey } from '../store.ts';
import type { Webhook, WebhookRule } from './webhook.ts';

export type Operation = 'CREATE' | 'UPDATE' | 'DELETE';

/** The operation to admit, with objects in the API version of the request. */
export interface Admitting {
  readonly operation: Operation;
  readonly name: string;
  readonly namespace: string;
  /** The new object; absent for deletions. */
  readonly object?: JsonObject;
  readonly old?: JsonObject;
  /** The kind of the main resource, where a subresource has a kind of its own. */
  readonly kind?: { readonly group: string; readonly version: string; readonly kind: string };
  readonly options: JsonObject;
  readonly dryRun: boolean;
}

/** A webhook to call, and the version of its review. */
export interface Invocation {
  readonly webhook: Webhook;
  readonly version: ServedVersion;
}

/** Returns the invocation of the webhook; undefined when the webhook does not match. */
export function invocationOf(
  kernel: ServerState,
  call: Call,
  what: Admitting,
  webhook: Webhook,
): Invocation | Refusal | undefined {
  const { definition, version, subresource } = call.route;
  const missing = namespaceMatch(kernel, call, what, webhook);
  if (missing === false) return undefined;
  if (!objectMatch(what, webhook.objectSelector)) return undefined;
  const matches = (rule: WebhookRule, served: ServedVersion): boolean =>
    inScope(rule.scope, definition.gr, what.namespace) &&
    (rule.names.length === 0 || rule.names.includes(what.name)) &&
    has(rule.operations, what.operation) &&
    has(rule.groups, definition.group) &&
    has(rule.versions, served.name) &&
    rule.resources.some((one) => resourceMatches(one, definition.resource, subresource));
  let asked: ServedVersion | undefined;
  if (webhook.rules.some((rule) => matches(rule, version))) asked = version;
  else if (webhook.equivalent) {
    const others = definition.versions.filter((one) => one.served && one !== version);
    for (const rule of webhook.rules) asked ??= others.find((one) => matches(rule, one));
  }
  if (asked === undefined) return undefined;
  return missing ?? { webhook, version: asked };
}

/** Reports whether the namespace selector matches; returns a refusal when the namespace does not exist. */
function namespaceMatch(
  kernel: ServerState,
  call: Call,
  what: Admitting,
  webhook: Webhook,
): Refusal | false | undefined {
  const { definition, subresource } = call.route;
  const selector = webhook.namespaceSelector;
  const isNamespace = definition.gr === 'namespaces';
  if (selector === undefined || (what.namespace === '' && !isNamespace)) return undefined;
  if (isNamespace && subresource === '' && what.object !== undefined)
    return selects(selector, what.object) ? undefined : false;
  const home = kernel.store.get('namespaces', rowKey('', what.namespace));
  if (home === undefined)
    return notFound({ group: '', resource: 'namespaces', kind: 'Namespace', gr: 'namespaces' }, what.namespace);
  return selects(selector, home) ? undefined : false;
}

function objectMatch({ object, old }: Admitting, selector: JsonObject | undefined): boolean {
  if (selector === undefined) return true;
  return (object !== undefined && selects(selector, object)) || (old !== undefined && selects(selector, old));
}

function selects(selector: JsonObject, object: JsonObject): boolean {
  const matcher = parseLabelSelector(selectorText(selector));
  if (typeof matcher === 'string') return false;
  const metadata: JsonValue | undefined = object['metadata'];
  return labelsMatch(matcher, isMap(metadata) ? (object as KubeObject) : NAMELESS);
}

const NAMELESS: KubeObject = { apiVersion: '', kind: '', metadata: {} };

function inScope(scope: string, gr: string, namespace: string): boolean {
  if (scope === '*') return true;
  const namespaced = gr !== 'namespaces' && namespace !== '';
  return scope === 'Namespaced' ? namespaced : scope === 'Cluster' && !namespaced;
}

/** Returns the objects in the version of the review. */
export function inVersion(call: Call, what: Admitting, version: ServedVersion): Admitting {
  const own = call.route.version;
  if (version === own || what.kind !== undefined) return what;
  const shown = (object: JsonObject): JsonObject => version.fromStorage(own.toStorage(object as KubeObject));
  return {
    ...what,
    ...(what.object === undefined ? {} : { object: shown(what.object) }),
    ...(what.old === undefined ? {} : { old: shown(what.old) }),
  };
}

function has(items: readonly string[], one: string): boolean {
  return items.includes('*') || items.includes(one);
}

function resourceMatches(rule: string, resource: string, subresource: string): boolean {
  const slash = rule.indexOf('/');
  const main = slash < 0 ? rule : rule.slice(0, slash);
  const sub = slash < 0 ? '' : rule.slice(slash + 1);
  return (main === '*' || main === resource) && (sub === '*' || sub === subresource);
}
