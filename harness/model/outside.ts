/**
 * External resources: what a target manages outside the cluster, stored as objects on the run's own API server.
 *
 * Owns: their kind and their names. The target never sees these objects: it calls a store over plain HTTP (`actors/outside`). As they are
 * ordinary objects, every change to them is ordered, labelled and recorded.
 */
import type { KubeObject } from 'stalemate-apiserver/objects/object';

const GROUP = 'outside.stalemate';
/** The group-resource of external resources. */
export const OUTSIDE: string = `resources.${GROUP}`;
/** Their path on the API server. */
export const OUTSIDE_PATH: string = `/apis/${GROUP}/v1/resources`;
export const OUTSIDE_API: { readonly apiVersion: string; readonly kind: string } = {
  apiVersion: `${GROUP}/v1`,
  kind: 'Resource',
};
/** The label with the name of a resource's collection. */
export const COLLECTION: string = `${GROUP}/collection`;
/** The annotation with the id that the target uses for a resource. */
export const RESOURCE_ID: string = `${GROUP}/id`;

/** The CRD that makes the API server store them. */
export const OUTSIDE_CRD: KubeObject = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: OUTSIDE },
  spec: {
    group: GROUP,
    scope: 'Cluster',
    names: { kind: OUTSIDE_API.kind, listKind: 'ResourceList', plural: 'resources', singular: 'resource' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: { spec: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
          },
        },
      },
    ],
  },
};
