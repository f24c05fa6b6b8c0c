/** The subject: what is tested, and everything that shapes its runs. The subject is part of a worker's job and can be structured-cloned. */
import type { KubeObject } from 'stalemate-apiserver/objects/object';
import type { ExistingAccess } from '../clusters/existing/access.ts';
import type { ClusterKind } from '../model/cluster.ts';
import type { KindAccess } from '../model/kind-options.ts';
import type { ProcessTarget, ProjectManifests, RunSettings, Transport } from '../model/counterexample.ts';
import type { Declarations } from '../model/declarations.ts';

/** The target and how it is started. */
export interface SubjectTarget {
  /** Absolute path of the module; empty for a command. */
  readonly target: string;
  readonly process: ProcessTarget | null;
  readonly transport: Transport;
}

/** The target and everything that shapes its runs. */
export interface Subject extends SubjectTarget {
  readonly cluster: ClusterKind;
  /** The toxiproxy server for connection faults; `null` for none. */
  readonly toxiproxy?: string | null;
  /** The existing cluster, if `cluster` is `existing`. */
  readonly existing?: ExistingAccess | null;
  /** The kind cluster, if `cluster` is `kind`. */
  readonly kindAccess?: KindAccess;
  readonly crds: readonly KubeObject[];
  readonly samples: readonly KubeObject[];
  /** What the project ships besides its CRDs; `null` if the user named no manifests. */
  readonly project: ProjectManifests | null;
  readonly namespace: string;
  readonly settings: RunSettings;
  /** The user's declarations about fields, in addition to what is measured. */
  readonly declared?: Declarations;
  /** The names of the properties to judge, as in the registry. */
  readonly properties: readonly string[];
  /** The file of the user's own properties, which the worker imports again. */
  readonly configFile: string | null;
  /** A warning for the user; present if runs use real time because virtual time did not work for the target. */
  readonly unsteered?: string;
  /** The folder in which references are stored; `null` for none. */
  readonly reportDir: string | null;
}
