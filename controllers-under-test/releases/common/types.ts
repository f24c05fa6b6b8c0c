/** A Release rolls an image out into the Deployment of the same name. */
import type { KubernetesObject, V1Condition } from '@kubernetes/client-node';

export interface ReleaseStatus {
  readonly observedGeneration?: number;
  readonly image?: string;
  /** How often the release was reconciled; most variants leave it alone. */
  readonly reconciles?: number;
  readonly conditions?: readonly ReleaseCondition[];
}

/** Others keep conditions of their own types in the same list. */
export type ReleaseCondition = Omit<V1Condition, 'lastTransitionTime'> & { readonly lastTransitionTime: string };

export interface Release extends KubernetesObject {
  readonly spec: { readonly image: string };
  readonly status?: ReleaseStatus;
}

export const RELEASES = { group: 'delivery.example.com', version: 'v1', plural: 'releases' } as const;

/** The one container of the Deployment whose image is ours. */
export const CONTAINER = 'app';
