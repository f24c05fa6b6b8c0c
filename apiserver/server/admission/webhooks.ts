/**
 * Webhook configurations, parsed.
 *
 * Owns: the list of webhooks in calling order from the stored configurations, with the defaults of admissionregistration/v1. Does not own:
 * matching (`match.ts`), calling. Start at {@link Webhooks}.
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
  /** The admission policies, which run together with the webhooks. */
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

  /** Reports whether any webhook or policy exists. */
  get present(): boolean {
    return (this.#present ??= this.mutating.length > 0 || this.validating.length > 0 || this.policies.present);
  }

  /** Invalidates the parsed webhooks after a change of configurations. `resource`: the changed resource; absent if any may have changed. */
  changed(resource?: string): void {
    // This function runs on every commit, and few commits concern admission.
    if (resource !== undefined && !resource.endsWith(GROUP)) return;
    this.#present = undefined;
    if (resource === undefined || resource === MUTATING) this.#mutating = undefined;
    if (resource === undefined || resource === VALIDATING) this.#validating = undefined;
    this.policies.changed(resource);
  }
}

const NONE: readonly Webhook[] = [];

/** Returns the webhooks in the order of configuration names, which is the order of the store. */
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
