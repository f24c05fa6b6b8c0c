/** How to see that kube-controller-manager runs for a server: it makes something in every namespace. */

/** What it makes there. */
export const MANAGED: readonly string[] = ['configmaps/kube-root-ca.crt', 'serviceaccounts/default'];

/** There where it has ever run. */
export const SIGN_OF_MANAGER: string = `/api/v1/namespaces/default/${MANAGED[0] ?? ''}`;
