/** Options and addresses of a kind cluster. */

/** Options for creating a kind cluster; absent ones use defaults. */
export interface KindOptions {
  /** The node image; default: the newest `kindest/node` image of the container engine. */
  readonly image?: string;
  /** `1.34` or `1.34.2`: selects one of the engine's images. */
  readonly kubernetesVersion?: string;
  /** Absolute path of the user's own kind configuration. */
  readonly configFile?: string;
  /** Keeps the cluster after the run, for the next run to reuse. */
  readonly keep?: boolean;
}

/** The address and credentials of a kind cluster; all addresses are loopback. */
export interface KindAccess {
  readonly name: string;
  /** Absolute path. The same folder holds a dump of the new cluster's content. */
  readonly kubeconfig: string;
  readonly context: string;
  readonly engine: string;
  /** The name of the node's container. */
  readonly node: string;
  /** Images that were loaded into the cluster, with their names in it. */
  readonly images: { readonly [image: string]: string };
  readonly etcd: {
    readonly url: string;
    /** All in PEM. */
    readonly ca: string;
    readonly certificate: string;
    readonly key: string;
  };
}

/** Accepted forms of a Kubernetes version. */
export const KUBERNETES_VERSION: RegExp = /^v?1\.\d+(?:\.\d+)?$/;
export const KUBERNETES_VERSION_FORM = 'expected one like "1.34" or "1.34.2"';
