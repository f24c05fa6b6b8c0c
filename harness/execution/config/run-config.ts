/** The resolved configuration of a campaign: every path is absolute, every file loaded, every default applied. */
import type { KubeObject } from 'stalemate-apiserver/objects/object';
import type { ExistingAccess } from '../../clusters/existing/access.ts';
import type { ClusterKind } from '../../model/cluster.ts';
import type { ConfirmChoice } from '../../model/confirmation.ts';
import type { KindAccess, KindOptions } from '../../model/kind-options.ts';
import type { ProcessTarget, ProjectManifests, RunSettings, Transport } from '../../model/counterexample.ts';
import type { FaultKind } from '../../model/schedule.ts';
import type { Waiver } from '../../model/waiver.ts';
import type { Declarations } from '../../model/declarations.ts';
import type { Property } from '../../oracle/property.ts';

/** When a campaign ends by itself. */
export type Budget =
  | { readonly unit: 'ms'; readonly timeMs: number }
  | { readonly unit: 'runs'; readonly runs: number };

/** The corpus: findings stored beside the code. */
export interface CorpusConfig {
  /** Absolute path of the corpus folder. */
  readonly folder: string;
  /** Absolute path of the folder that paths in entries and baselines are relative to, independent of where a command is run. */
  readonly home: string;
  /** Real time, in ms, for replaying the corpus before a search begins; `null` for a share of the budget. */
  readonly budgetMs: number | null;
}

export interface RunConfig {
  /** Absolute path of the working directory; paths in stored targets are relative to it. */
  readonly cwd: string;
  /** Absolute path of the configuration file; `null` when there was none. */
  readonly configFile: string | null;
  /** Absolute path of the target's module; empty for a process. */
  readonly target: string;
  /** The target, if it runs as a process (which includes a module on a real cluster); otherwise `null`. */
  readonly process: ProcessTarget | null;
  readonly cluster: ClusterKind;
  /** The existing cluster; `null` for other kinds of cluster. */
  readonly existing: ExistingAccess | null;
  readonly kind: KindOptions;
  /** The kind cluster of the campaign, once it exists. */
  readonly kindAccess?: KindAccess;
  readonly transport: Transport;
  readonly crds: readonly KubeObject[];
  readonly samples: readonly KubeObject[];
  /** The manifests that the project ships besides its CRDs; `null` if the user named none. */
  readonly project: ProjectManifests | null;
  /** Namespace of samples that name none. */
  readonly namespace: string;
  readonly properties: readonly Property[];
  /** Names of the kinds of adversarial writers that may take part. */
  readonly writers: readonly string[];
  readonly faults: readonly FaultKind[];
  /** Path of the toxiproxy server for connection faults; `null` if connections are not disturbed. */
  readonly toxiproxy: string | null;
  readonly budget: Budget;
  readonly seed: number;
  /** Ends the campaign after this many distinct findings; `Infinity` for never. */
  readonly stopAfter: number;
  /** Absolute path of the folder for counterexamples and records. */
  readonly reportDir: string;
  readonly corpus: CorpusConfig;
  /** Absolute path of the baseline, which need not exist. */
  readonly baseline: string;
  /** The real server on which findings of the embedded one are confirmed; `null` if not configured. */
  readonly confirm: ConfirmChoice | null;
  /** Whether a second replica may only be started if undisturbed runs show the target taking a lock. */
  readonly needsLock: boolean;
  /** Findings that the user accepts until a date. */
  readonly waivers: readonly Waiver[];
  readonly declared: Declarations;
  /** Warnings about the input, for its author. */
  readonly warnings: readonly string[];
  /** Settings of a single run; its seed is drawn per run. */
  readonly settings: Omit<RunSettings, 'seed'>;
}
