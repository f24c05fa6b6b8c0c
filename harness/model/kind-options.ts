/** A kind cluster, as runs are told of it. */

/** How one is to be made, where that is not left to the defaults. */
export interface KindOptions {
  /** Of the node; default: the newest `kindest/node` that the engine has. */
  readonly image?: string;
  /** `1.34` or `1.34.2`: chooses among the images that the engine has. */
  readonly kubernetesVersion?: string;
  /** A kind configuration of the user's own, absolute path. */
  readonly configFile?: string;
  /** The cluster stays when the run is over, and the next run takes it. */
  readonly keep?: boolean;
}

/** Where one is and how it is reached; all of it on loopback. */
export interface KindAccess {
  readonly name: string;
  /** Absolute path. Beside it lies what the cluster held when it was new. */
  readonly kubeconfig: string;
  readonly context: string;
  readonly engine: string;
  /** Its container. */
  readonly node: string;
  /** Images that were put into it, and what they are called there. */
  readonly images: { readonly [image: string]: string };
  readonly etcd: {
    readonly url: string;
    /** PEM, all three. */
    readonly ca: string;
    readonly certificate: string;
    readonly key: string;
  };
}

/** How a version of Kubernetes may be given. */
export const KUBERNETES_VERSION: RegExp = /^v?1\.\d+(?:\.\d+)?$/;
export const KUBERNETES_VERSION_FORM = 'expected one like "1.34" or "1.34.2"';
