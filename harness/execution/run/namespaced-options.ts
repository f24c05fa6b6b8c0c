/** The options of a run that hold names of namespaces, which are others on a cluster that is not ours. */
import type { KubeObject } from 'stalemate-apiserver/objects/object';
import type { Program } from '../../model/workload.ts';
import type { Live } from './live.ts';

export interface NamespacedOptions {
  /** Objects that are there from the beginning, stored as they are; the sample is not applied then. */
  readonly seedObjects?: readonly KubeObject[] | undefined;
  /** Called once the run has come to rest, before it is torn down; the history is then what it was at that moment. */
  readonly atRest?: ((live: Live) => Promise<void>) | undefined;
  /** Programs that start after settling, each followed by another settling: used by references and drift probes. */
  readonly afterRest?: readonly Program[] | undefined;
}
