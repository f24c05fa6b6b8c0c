/** What is tested, and everything that shapes its runs: what a job says to a worker of its target. Survives a structured clone. */
import type { KubeObject } from 'stalemate-apiserver/objects/object';
import type { ExistingAccess } from '../clusters/existing/access.ts';
import type { ClusterKind } from '../model/cluster.ts';
import type { KindAccess } from '../model/kind-options.ts';
import type { ProcessTarget, ProjectManifests, RunSettings, Transport } from '../model/counterexample.ts';
import type { Declarations } from '../model/declarations.ts';

/** What is started, and how. */
export interface SubjectTarget {
  /** Absolute path of the module; empty for a command. */
  readonly target: string;
  readonly process: ProcessTarget | null;
  readonly transport: Transport;
}

/** The target and everything that shapes its runs. */
export interface Subject extends SubjectTarget {
  readonly cluster: ClusterKind;
  /** The toxiproxy server that stands between; `null`: none does. */
  readonly toxiproxy?: string | null;
  /** Which one, where the cluster is somebody else's. */
  readonly existing?: ExistingAccess | null;
  /** Where the kind cluster is, when that is what runs stand on. */
  readonly kindAccess?: KindAccess;
  readonly crds: readonly KubeObject[];
  readonly samples: readonly KubeObject[];
  /** `null` where the user named no manifests. */
  readonly project: ProjectManifests | null;
  readonly namespace: string;
  readonly settings: RunSettings;
  /** What the user says of fields, beside what is measured. */
  readonly declared?: Declarations;
  /** Names from the registry. */
  readonly properties: readonly string[];
  /** Where properties of the user's own come from; the worker imports it again. */
  readonly configFile: string | null;
  /** What the user has to know where time passes as on the wall, because it turned out that it cannot be steered. */
  readonly unsteered?: string;
  /** Where what was learned of the target is kept; `null` for nowhere. */
  readonly reportDir: string | null;
}
