/**
 * Where the target's webhooks are asked and whom their configurations trust, as the cluster holds them now: a manager that makes its own
 * certificates writes its authority there.
 */
import type { KubeObject } from 'stalemate-apiserver/objects/object';
import type { EnvironmentController } from '../../actors/environment/index.ts';
import type { ObservedChange } from '../../gate/recorder.ts';
import type { Pod } from '../project/pod.ts';
import { configuresWebhooks, containerPortOf, servicesAsked } from '../project/webhooks.ts';
import type { AskedPort } from './webhook-opening.ts';

export class WebhookConfigurations {
  readonly #pod: Pick<Pod, 'workload' | 'project' | 'crds'>;
  readonly #areChecked: boolean;
  /** By name and kind. */
  #objects: ReadonlyMap<string, KubeObject>;

  /** @param areChecked - Whether the authorities are those that certificates of the target are checked by. */
  constructor(pod: Pick<Pod, 'workload' | 'project' | 'crds'>, areChecked: boolean) {
    this.#pod = pod;
    this.#areChecked = areChecked;
    this.#objects = this.#shipped();
  }

  /** The ports of the container that are asked. */
  get asked(): readonly AskedPort[] {
    const { workload, project } = this.#pod;
    if (workload === undefined) return [];
    const byPort = new Map<number, AskedPort>();
    for (const { service, authority } of servicesAsked([...this.#objects.values()])) {
      const port = containerPortOf(workload, project?.objects ?? [], service);
      if (port === undefined) continue;
      const servername = `${service.name}.${service.namespace}.svc`;
      const { authorities = [] } = byPort.get(port.port) ?? {};
      const isNew = this.#areChecked && !authorities.includes(authority);
      byPort.set(port.port, { ...port, servername, authorities: isNew ? [...authorities, authority] : authorities });
    }
    return [...byPort.values()];
  }

  /** A run begins. */
  begins(): EnvironmentController {
    this.#objects = this.#shipped();
    return { actor: 'webhooks', onChange: (change) => this.#changed(change) };
  }

  #changed({ type, resource, name, object }: ObservedChange): void {
    if (!configuresWebhooks(resource)) return;
    const key = `${object.kind}/${name}`;
    const objects = new Map(this.#objects);
    // Webhooks that the target configures itself are its own business: nobody else waits for them.
    if (type === 'DELETED') objects.delete(key);
    else if (objects.has(key)) objects.set(key, object);
    this.#objects = objects;
  }

  #shipped(): ReadonlyMap<string, KubeObject> {
    const { crds, project } = this.#pod;
    return new Map(
      [...crds, ...(project?.objects ?? [])].map((one) => [`${one.kind}/${one.metadata.name ?? ''}`, one]),
    );
  }
}
