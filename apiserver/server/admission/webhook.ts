/**
 * One webhook, parsed: what it matches and how it is called, with the defaults of admissionregistration/v1.
 *
 * Does not own: the list of webhooks (`webhooks.ts`), matching (`match.ts`).
 */
import { isList, isMap, textOf, textsOf } from '../../objects/json.ts';
import type { JsonObject } from '../../objects/object.ts';

export interface WebhookRule {
  readonly operations: readonly string[];
  readonly groups: readonly string[];
  readonly versions: readonly string[];
  readonly resources: readonly string[];
  readonly scope: string;
  /** Policies only: resource names; empty for all names. */
  readonly names: readonly string[];
}

export interface Webhook {
  /** An id that is unique among all webhooks. */
  readonly id: string;
  readonly name: string;
  readonly clientConfig: JsonObject;
  readonly rules: readonly WebhookRule[];
  readonly equivalent: boolean;
  readonly ignoresFailure: boolean;
  readonly namespaceSelector: JsonObject | undefined;
  readonly objectSelector: JsonObject | undefined;
  readonly matchConditions: readonly JsonObject[];
  readonly timeoutSeconds: number;
  readonly sideEffects: string;
  readonly reviewVersions: readonly string[];
  /** Mutating webhooks: true if the webhook is called again when a later one changes the object. */
  readonly reinvoked: boolean;
}

const DEFAULT_TIMEOUT_SECONDS = 10;

/** Parses a webhook, or another type with the same matching fields. */
export function webhookOf(id: string, hook: JsonObject): Webhook {
  const rules = isList(hook['rules']) ? hook['rules'].filter(isMap) : [];
  const conditions = hook['matchConditions'];
  return {
    id,
    name: textOf(hook['name']),
    clientConfig: isMap(hook['clientConfig']) ? hook['clientConfig'] : {},
    rules: rules.map((rule) => ({
      operations: textsOf(rule['operations']),
      groups: textsOf(rule['apiGroups']),
      versions: textsOf(rule['apiVersions']),
      resources: textsOf(rule['resources']),
      scope: textOf(rule['scope']) || '*',
      names: textsOf(rule['resourceNames']),
    })),
    equivalent: hook['matchPolicy'] !== 'Exact',
    ignoresFailure: hook['failurePolicy'] === 'Ignore',
    namespaceSelector: selectorOf(hook['namespaceSelector']),
    objectSelector: selectorOf(hook['objectSelector']),
    matchConditions: isList(conditions) ? conditions.filter(isMap) : [],
    timeoutSeconds: typeof hook['timeoutSeconds'] === 'number' ? hook['timeoutSeconds'] : DEFAULT_TIMEOUT_SECONDS,
    sideEffects: textOf(hook['sideEffects']),
    reviewVersions: textsOf(hook['admissionReviewVersions']),
    reinvoked: hook['reinvocationPolicy'] === 'IfNeeded',
  };
}

/** Returns a selector; undefined for an empty one, which selects everything. */
function selectorOf(selector: JsonObject[string]): JsonObject | undefined {
  if (!isMap(selector)) return undefined;
  const { matchLabels, matchExpressions } = selector;
  const labels = isMap(matchLabels) && Object.keys(matchLabels).length > 0;
  return labels || (isList(matchExpressions) && matchExpressions.length > 0) ? selector : undefined;
}
