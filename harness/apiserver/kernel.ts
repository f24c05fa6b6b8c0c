/**
 * What the verbs work with: the store, the registry, the sources of time and ids, and the way a change becomes visible.
 *
 * Owns: the contract between `server.ts` (which implements it) and `verbs/` (which use it).
 */
import type { KubeObject } from '../model/object.ts';
import type { ApiRequest } from '../wire/http.ts';
import type { AccessControl } from './access/control.ts';
import type { Admission } from './admission/admission.ts';
import type { Ownership } from './apply/ownership.ts';
import type { ResourceDefinition } from './definition.ts';
import type { DeclaredKubelet } from './kubelet/declared.ts';
import type { Registry, Route } from './registry.ts';
import type { CommittedChange, Store } from './store.ts';

export interface Kernel {
  readonly store: Store;
  readonly registry: Registry;
  readonly newUid: () => string;
  readonly nameSuffix: () => string;
  /** Signs tokens of service accounts. */
  readonly tokenKey: string;
  readonly access: AccessControl;
  readonly owners: Ownership;
  /** What pods answer, as it is declared. */
  readonly kubelet: DeclaredKubelet;
  /** Asks webhooks before writes; undefined when there are none to ask. */
  readonly admission: Admission | undefined;
  /** Now, RFC 3339 with whole seconds. */
  timestamp(offsetSeconds?: number): string;
  /** Stores and tells watches and observers. Returns the stored object. `by`: the request whose sender owns what has changed. */
  commit(definition: ResourceDefinition, object: KubeObject, before: KubeObject | undefined, by?: Call): KubeObject;
  /** Removes and tells watches and observers. */
  remove(definition: ResourceDefinition, before: KubeObject): CommittedChange;
}

/** One request on its way through the pipeline. */
export interface Call {
  readonly request: ApiRequest;
  readonly route: Route;
  /** Texts of `Warning` headers. */
  readonly warnings: string[];
  /** Webhooks have been asked, about the subresource that leads to this write. */
  readonly admitted?: true;
  /** The request as it came, when it goes on as a write of the object behind a subresource. */
  readonly origin?: Call;
}

/** RFC 3339 with whole seconds, as `metav1.Time` is written. */
export function timestampText(epochMs: number): string {
  return `${new Date(epochMs).toISOString().slice(0, 19)}Z`;
}

/** {@link Kernel.timestamp} of a clock. The text of the current second is kept: most requests of a trial fall into one. */
export function timestampsOf(now: () => number): Kernel['timestamp'] {
  let second = Number.NaN;
  let text = '';
  return (offsetSeconds = 0) => {
    const at = Math.floor(now() / 1000) + offsetSeconds;
    if (at !== second) {
      second = at;
      text = timestampText(at * 1000);
    }
    return text;
  };
}
