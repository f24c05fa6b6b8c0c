/** Describes how a project's controller is built and started, as far as its files show. */

export interface Program {
  /** For example `Go, controller-runtime`. */
  readonly language: string;
  /** A module that starts the controller, instead of a command. */
  readonly target?: string;
  /** Program and arguments, with placeholders. Empty if unknown. */
  readonly command: readonly string[];
  readonly env?: { readonly [name: string]: string };
  /** Environment variables that switch the program's webhooks off, for runs without installed webhooks. */
  readonly withoutWebhooks?: { readonly [name: string]: string };
  /**
   * Possible names of the program and its image in the Deployment that starts it; absent if the Deployment's arguments cannot
   * be used.
   */
  readonly names?: readonly string[];
  readonly metrics?: string;
  readonly readyWithinMs?: number;
  /** Flags in the program's source whose default is an absolute path, with that path. */
  readonly pathFlags?: { readonly [flag: string]: string };
  /** Whether it supports leader election. */
  readonly elects: boolean;
  /** The command that builds `command[0]`, split into arguments for `spawn`. */
  readonly build?: readonly string[];
  /** The folder of its Go module; absent for the root. */
  readonly module?: string;
  /**
   * A prerequisite of the command: the path to check, the command that creates it, and an alternative for users who lack the tool that this
   * command calls.
   */
  readonly needs?: { readonly path: string; readonly get: string; readonly getWithout?: string };
  /** The folder in which the build writes CRDs. */
  readonly builtDefinitions?: string;
  /** The setup action that a workflow needs. */
  readonly setUp: SetUp;
  /** Lines to add to .gitignore. */
  readonly ignored?: readonly string[];
  /** Other programs of the project that could be the controller, as `init` would build them: `bin/webhook`. */
  readonly others?: readonly string[];
  /** Guesses, as sentences for the user. */
  readonly notes: readonly string[];
}

export type SetUp = 'go' | 'python' | 'node' | 'rust' | 'java';
