/** A Release rolls out an image to the Deployment with the same name. */
import type { KubernetesObject, V1Condition } from '@kubernetes/client-node';

export interface ReleaseStatus {
  readonly observedGeneration?: number;
  readonly image?: string;
  /** How many times the release was reconciled; most variants do not set it. */
  readonly reconciles?: number;
  readonly conditions?: readonly ReleaseCondition[];
}

/** Other controllers keep conditions of their own types in the same list. */
export type ReleaseCondition = Omit<V1Condition, 'lastTransitionTime'> & { readonly lastTransitionTime: string };

export interface Release extends KubernetesObject {
  readonly spec: { readonly image: string };
  readonly status?: ReleaseStatus;
}

export const RELEASES = { group: 'delivery.example.com', version: 'v1', plural: 'releases' } as const;

/** The container whose image this controller owns. */
export const CONTAINER = 'app';
