/**
 * The services of the target's webhooks, and the CAs that their configurations in the cluster currently trust: a manager that creates its
 * own certificates writes its CA there.
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
  /** The webhook configurations by kind and name. */
  #objects: ReadonlyMap<string, KubeObject>;

  /** @param areChecked - Whether the target's certificates are verified against these CAs. */
  constructor(pod: Pick<Pod, 'workload' | 'project' | 'crds'>, areChecked: boolean) {
    this.#pod = pod;
    this.#areChecked = areChecked;
    this.#objects = this.#shipped();
  }

  /** The container ports that the configurations refer to. */
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

  /** Begins a run. Returns the controller that follows changes to the configurations. */
  begins(): EnvironmentController {
    this.#objects = this.#shipped();
    return { actor: 'webhooks', onChange: (change) => this.#changed(change) };
  }

  #changed({ type, resource, name, object }: ObservedChange): void {
    if (!configuresWebhooks(resource)) return;
    const key = `${object.kind}/${name}`;
    const objects = new Map(this.#objects);
    // The harness never waits for webhooks that the target adds itself.
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
