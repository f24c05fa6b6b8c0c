/** What can answer the API in a run. */

/**
 * `embedded`: the API server of this process. `envtest`: etcd and kube-apiserver, started for the campaign. `kind`: the same in a kind
 * cluster. `existing`: one that the user names.
 */
export const CLUSTERS = ['embedded', 'envtest', 'kind', 'existing'] as const;

export type ClusterKind = (typeof CLUSTERS)[number];

/**
 * What may run behind the API server of `envtest`. `kube-controller-manager`: it collects garbage, ends namespaces, looks after workloads.
 * `kwok`: a node of no machine, on which pods run without containers; kube-scheduler comes with it.
 */
export const PARTS = ['kube-controller-manager', 'kwok'] as const;

export type ClusterPart = (typeof PARTS)[number];
