/** A campaign's configuration with nothing left open: every path absolute, every file loaded, every default filled in. */
import type { ExistingAccess } from '../../clusters/existing/access.ts';
import type { ClusterKind } from '../../model/cluster.ts';
import type { ConfirmChoice } from '../../model/confirmation.ts';
import type { KindAccess, KindOptions } from '../../model/kind-options.ts';
import type { ProcessTarget, ProjectManifests, RunSettings, Transport } from '../../model/counterexample.ts';
import type { KubeObject } from '../../model/object.ts';
import type { FaultKind } from '../../model/schedule.ts';
import type { Waiver } from '../../model/waiver.ts';
import type { Declarations } from '../../model/declarations.ts';
import type { Property } from '../../oracle/property.ts';

/** When a campaign ends by itself. */
export type Budget =
  | { readonly unit: 'ms'; readonly timeMs: number }
  | { readonly unit: 'runs'; readonly runs: number };

/** Findings kept beside the code. */
export interface CorpusConfig {
  /** Absolute. */
  readonly folder: string;
  /** Absolute; paths in entries and baselines are relative to it, wherever a command is given. */
  readonly home: string;
  /** Real time that replaying them may take before a search begins; `null` for a share of the budget. */
  readonly budgetMs: number | null;
}

export interface RunConfig {
  /** Absolute path of the working directory; paths in stored targets are relative to it. */
  readonly cwd: string;
  /** Absolute path of the configuration file; `null` when there was none. */
  readonly configFile: string | null;
  /** Absolute path of the target's module; empty for a process. */
  readonly target: string;
  /** The target, when it is a process; on a cluster in real time a module is one as well. */
  readonly process: ProcessTarget | null;
  readonly cluster: ClusterKind;
  /** The cluster of somebody else that is meant; `null` for the other kinds. */
  readonly existing: ExistingAccess | null;
  readonly kind: KindOptions;
  /** The kind cluster of the campaign, once it is there. */
  readonly kindAccess?: KindAccess;
  readonly transport: Transport;
  readonly crds: readonly KubeObject[];
  readonly samples: readonly KubeObject[];
  /** What the project ships beside its CRDs; `null` where no manifests were named. */
  readonly project: ProjectManifests | null;
  /** Where namespaced samples without a namespace go. */
  readonly namespace: string;
  readonly properties: readonly Property[];
  /** Names of the kinds of adversarial writers that may take part. */
  readonly writers: readonly string[];
  readonly faults: readonly FaultKind[];
  /** The server that disturbs connections; `null`: nobody does. */
  readonly toxiproxy: string | null;
  readonly budget: Budget;
  /** Trials of a process run on one that lives on. */
  readonly warm: boolean;
  readonly seed: number;
  /** Ends the campaign after this many distinct findings; `Infinity` for never. */
  readonly stopAfter: number;
  /** Absolute path of the folder that counterexamples and records go to. */
  readonly reportDir: string;
  readonly corpus: CorpusConfig;
  /** Absolute path of the budgets' file, which need not exist. */
  readonly baseline: string;
  /** Which real server is asked about findings of the embedded one; `null` where nobody says. */
  readonly confirm: ConfirmChoice | null;
  /** Findings that are put up with. */
  readonly waivers: readonly Waiver[];
  readonly declared: Declarations;
  /** What was made of the input that its author should know. */
  readonly warnings: readonly string[];
  /** What shapes a single run; its seed is drawn per run. */
  readonly settings: Omit<RunSettings, 'seed'>;
}
