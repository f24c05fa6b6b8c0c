/** Objects that kube-controller-manager creates in every namespace: they show whether it runs for a server. */

/** The objects that it creates. */
export const MANAGED: readonly string[] = ['configmaps/kube-root-ca.crt', 'serviceaccounts/default'];

/** The path of an object that exists if kube-controller-manager has ever run. */
export const SIGN_OF_MANAGER: string = `/api/v1/namespaces/default/${MANAGED[0] ?? ''}`;
