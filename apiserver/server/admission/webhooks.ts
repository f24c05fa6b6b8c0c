/**
 * Webhook configurations, read.
 *
 * Owns: from stored configurations to the list of webhooks in calling order, with the defaults of admissionregistration/v1. Does not
 * own: which of them a request concerns (`match.ts`), nor calling them. Start at {@link Webhooks}.
 */
import { isList, isMap } from '../../objects/json.ts';
import type { KubeObject } from '../../objects/object.ts';
import type { Store } from '../store.ts';
import { Policies } from './policies.ts';
import { webhookOf, type Webhook } from './webhook.ts';

const GROUP = 'admissionregistration.k8s.io';
export const MUTATING: string = `mutatingwebhookconfigurations.${GROUP}`;
export const VALIDATING: string = `validatingwebhookconfigurations.${GROUP}`;

export class Webhooks {
  readonly #store: Store;
  #mutating: readonly Webhook[] | undefined;
  #validating: readonly Webhook[] | undefined;
  #present: boolean | undefined;
  /** Policies are asked where webhooks are. */
  readonly policies: Policies;

  constructor(store: Store) {
    this.#store = store;
    this.policies = new Policies(store);
  }

  get mutating(): readonly Webhook[] {
    return (this.#mutating ??= webhooksOf(this.#store.list(MUTATING)));
  }

  get validating(): readonly Webhook[] {
    return (this.#validating ??= webhooksOf(this.#store.list(VALIDATING)));
  }

  /** Whether any request could concern any webhook. */
  get present(): boolean {
    return (this.#present ??= this.mutating.length > 0 || this.validating.length > 0 || this.policies.present);
  }

  /** Configurations may have changed. `resource`: which resource did; absent when everything may have. */
  changed(resource?: string): void {
    // Every commit comes by here, and hardly any concerns admission.
    if (resource !== undefined && !resource.endsWith(GROUP)) return;
    this.#present = undefined;
    if (resource === undefined || resource === MUTATING) this.#mutating = undefined;
    if (resource === undefined || resource === VALIDATING) this.#validating = undefined;
    this.policies.changed(resource);
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
