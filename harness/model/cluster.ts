/** The kinds of API server that a run can use. */

/**
 * `embedded`: the API server in this process. `envtest`: etcd and kube-apiserver, started for the campaign. `kind`: a kind cluster.
 * `existing`: a cluster that the user names.
 */
export const CLUSTERS = ['embedded', 'envtest', 'kind', 'existing'] as const;

export type ClusterKind = (typeof CLUSTERS)[number];

/**
 * Components that can run beside the API server of `envtest`. `kube-controller-manager`: garbage collection, namespace deletion and
 * workload controllers. `kwok`: a simulated node that runs pods without containers, and kube-scheduler.
 */
export const PARTS = ['kube-controller-manager', 'kwok'] as const;

export type ClusterPart = (typeof PARTS)[number];
