/** What can answer the API in a run. */

/** `embedded`: the API server of this process. `envtest`: etcd and kube-apiserver, started for the campaign. */
export const CLUSTERS = ['embedded', 'envtest'] as const;

export type ClusterKind = (typeof CLUSTERS)[number];
