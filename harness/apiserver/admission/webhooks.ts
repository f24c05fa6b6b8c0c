/**
 * Webhook configurations, read.
 *
 * Owns: from stored configurations to the list of webhooks in calling order, with the defaults of admissionregistration/v1. Does not
 * own: which of them a request concerns (`match.ts`), nor calling them. Start at {@link Webhooks}.
 */
import type { JsonObject, KubeObject } from '../../model/object.ts';
import { strings, text } from '../access/rules.ts';
import { isList, isMap } from '../definition.ts';
import type { Store } from '../store.ts';

const GROUP = 'admissionregistration.k8s.io';
export const MUTATING: string = `mutatingwebhookconfigurations.${GROUP}`;
export const VALIDATING: string = `validatingwebhookconfigurations.${GROUP}`;

export interface WebhookRule {
  readonly operations: readonly string[];
  readonly groups: readonly string[];
  readonly versions: readonly string[];
  readonly resources: readonly string[];
  readonly scope: string;
}

export interface Webhook {
  /** Unique among all webhooks. */
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
  /** Mutating webhooks: to be asked again when a later one changes the object. */
  readonly reinvoked: boolean;
}

const DEFAULT_TIMEOUT_SECONDS = 10;

export class Webhooks {
  readonly #store: Store;
  #mutating: readonly Webhook[] | undefined;
  #validating: readonly Webhook[] | undefined;

  constructor(store: Store) {
    this.#store = store;
  }

  get mutating(): readonly Webhook[] {
    return (this.#mutating ??= webhooksOf(this.#store.list(MUTATING)));
  }

  get validating(): readonly Webhook[] {
    return (this.#validating ??= webhooksOf(this.#store.list(VALIDATING)));
  }

  /** Whether any request could concern any webhook. */
  get present(): boolean {
    return this.mutating.length > 0 || this.validating.length > 0;
  }

  /** Configurations may have changed. `resource`: which resource did; absent when everything may have. */
  changed(resource?: string): void {
    if (resource === undefined || resource === MUTATING) this.#mutating = undefined;
    if (resource === undefined || resource === VALIDATING) this.#validating = undefined;
  }
}

const NONE: readonly Webhook[] = [];

/** In the order of configuration names, which is the order of the store. */
function webhooksOf(configurations: readonly KubeObject[]): readonly Webhook[] {
  if (configurations.length === 0) return NONE;
  return configurations.flatMap((configuration) => {
    const { webhooks } = configuration;
    if (!isList(webhooks)) return NONE;
    return webhooks
      .filter(isMap)
      .map((hook, index) => webhookOf(`${configuration.metadata.name ?? ''}/${index}`, hook));
  });
}

function webhookOf(id: string, hook: JsonObject): Webhook {
  const rules = isList(hook['rules']) ? hook['rules'].filter(isMap) : [];
  const conditions = hook['matchConditions'];
  return {
    id,
    name: text(hook['name']),
    clientConfig: isMap(hook['clientConfig']) ? hook['clientConfig'] : {},
    rules: rules.map((rule) => ({
      operations: strings(rule['operations']),
      groups: strings(rule['apiGroups']),
      versions: strings(rule['apiVersions']),
      resources: strings(rule['resources']),
      scope: text(rule['scope']) || '*',
    })),
    equivalent: hook['matchPolicy'] !== 'Exact',
    ignoresFailure: hook['failurePolicy'] === 'Ignore',
    namespaceSelector: selectorOf(hook['namespaceSelector']),
    objectSelector: selectorOf(hook['objectSelector']),
    matchConditions: isList(conditions) ? conditions.filter(isMap) : [],
    timeoutSeconds: typeof hook['timeoutSeconds'] === 'number' ? hook['timeoutSeconds'] : DEFAULT_TIMEOUT_SECONDS,
    sideEffects: text(hook['sideEffects']),
    reviewVersions: strings(hook['admissionReviewVersions']),
    reinvoked: hook['reinvocationPolicy'] === 'IfNeeded',
  };
}

/** An empty selector selects everything and is the same as none. */
function selectorOf(selector: JsonObject[string]): JsonObject | undefined {
  if (!isMap(selector)) return undefined;
  const { matchLabels, matchExpressions } = selector;
  const labels = isMap(matchLabels) && Object.keys(matchLabels).length > 0;
  return labels || (isList(matchExpressions) && matchExpressions.length > 0) ? selector : undefined;
}
