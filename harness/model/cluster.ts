/** What can answer the API in a run. */

/**
 * `embedded`: the API server of this process. `envtest`: etcd and kube-apiserver, started for the campaign. `kind`: the same in a kind
 * cluster. `existing`: one that the user names.
 */
export const CLUSTERS = ['embedded', 'envtest', 'kind', 'existing'] as const;

export type ClusterKind = (typeof CLUSTERS)[number];
