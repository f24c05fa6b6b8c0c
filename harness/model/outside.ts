/**
 * The outside system: what a target keeps beyond the cluster, as resources of the run's own server.
 *
 * Owns: their kind and how one is named. A target never sees it: it speaks plain HTTP to a store (`actors/outside`). As they are
 * ordinary objects, everything that happens to them is ordered, labelled and recorded like all else.
 */
import type { KubeObject } from 'stalemate-apiserver/objects/object';

const GROUP = 'outside.stalemate';
/** `gr` of what is kept outside. */
export const OUTSIDE: string = `resources.${GROUP}`;
/** Where the server has them. */
export const OUTSIDE_PATH: string = `/apis/${GROUP}/v1/resources`;
export const OUTSIDE_API: { readonly apiVersion: string; readonly kind: string } = {
  apiVersion: `${GROUP}/v1`,
  kind: 'Resource',
};
/** Label with the collection that a resource is in. */
export const COLLECTION: string = `${GROUP}/collection`;
/** Annotation with the id that the target knows a resource by. */
export const RESOURCE_ID: string = `${GROUP}/id`;

/** The definition that makes the server keep them. */
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
