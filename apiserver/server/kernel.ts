/**
 * The server as the verbs see it: its state, and committing a change.
 *
 * Owns: the interface between `server.ts` (which implements it) and `verbs/` (which use it).
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
  /** The declared answers of pods. */
  readonly kubelet: DeclaredKubelet;
  /** Calls webhooks before writes; undefined without any. */
  readonly admission: Admission | undefined;
  /**
   * Stores an object and notifies watches and observers. Returns the stored object. `by`: the request whose sender owns the changed fields.
   */
  commit(definition: ResourceDefinition, object: KubeObject, before: KubeObject | undefined, by?: Call): KubeObject;
  /** Removes an object and notifies watches and observers. */
  remove(definition: ResourceDefinition, before: KubeObject): CommittedChange;
}
