/** The options of a run that contain namespace names; on an existing cluster, these names are mapped. */
import type { KubeObject } from 'stalemate-apiserver/objects/object';
import type { Program } from '../../model/workload.ts';
import type { Live } from './live.ts';

export interface NamespacedOptions {
  /** Objects that exist from the beginning, stored unchanged; the sample is then not applied. */
  readonly seedObjects?: readonly KubeObject[] | undefined;
  /** Called once the run has come to rest, before it is torn down, with the history up to that moment. */
  readonly atRest?: ((live: Live) => Promise<void>) | undefined;
  /** Programs that start after settling, each followed by another settling: used by references and drift probes. */
  readonly afterRest?: readonly Program[] | undefined;
}
