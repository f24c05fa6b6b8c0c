/** Detects whether kube-controller-manager runs for a server: it creates objects in every namespace. */

/** The objects that it creates. */
export const MANAGED: readonly string[] = ['configmaps/kube-root-ca.crt', 'serviceaccounts/default'];

/** Exists if it has ever run. */
export const SIGN_OF_MANAGER: string = `/api/v1/namespaces/default/${MANAGED[0] ?? ''}`;
