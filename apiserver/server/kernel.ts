/**
 * The server as the verbs see it: its state, and committing a change.
 *
 * Owns: the interface that `server.ts` implements and `verbs/` uses.
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
  /** The declared answers of the kubelet to requests to pods. */
  readonly kubelet: DeclaredKubelet;
  /** Calls webhooks before writes; undefined without webhooks. */
  readonly admission: Admission | undefined;
  /**
   * Stores an object and notifies watches and observers. Returns the stored object. `by`: the request; its sender owns the changed fields.
   */
  commit(definition: ResourceDefinition, object: KubeObject, before: KubeObject | undefined, by?: Call): KubeObject;
  /** Removes an object and notifies watches and observers. */
  remove(definition: ResourceDefinition, before: KubeObject): CommittedChange;
}
