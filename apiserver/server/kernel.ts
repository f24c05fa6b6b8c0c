/**
 * What the verbs work with: the state of the server, and the way a change becomes visible.
 *
 * Owns: the contract between `server.ts` (which implements it) and `verbs/` (which use it).
 */
import type { KubeObject } from '../objects/object.ts';
import type { Admission } from './admission/admission.ts';
import type { Ownership } from './apply/ownership.ts';
import type { Call } from './call.ts';
import type { ResourceDefinition } from './definition.ts';
import type { DeclaredKubelet } from './kubelet/declared.ts';
import type { ServerState } from './server-state.ts';
import type { CommittedChange } from './store.ts';

export interface Kernel extends ServerState {
  readonly owners: Ownership;
  /** What pods answer, as it is declared. */
  readonly kubelet: DeclaredKubelet;
  /** Asks webhooks before writes; undefined when there are none to ask. */
  readonly admission: Admission | undefined;
  /** Stores and tells watches and observers. Returns the stored object. `by`: the request whose sender owns what has changed. */
  commit(definition: ResourceDefinition, object: KubeObject, before: KubeObject | undefined, by?: Call): KubeObject;
  /** Removes and tells watches and observers. */
  remove(definition: ResourceDefinition, before: KubeObject): CommittedChange;
}
