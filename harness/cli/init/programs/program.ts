/** How a project's controller is built and started, as far as its files say. */

export interface Program {
  /** `Go, controller-runtime` */
  readonly language: string;
  /** A module that starts it, instead of a command. */
  readonly target?: string;
  /** Program and arguments, with placeholders. Empty where it is unknown. */
  readonly command: readonly string[];
  readonly env?: { readonly [name: string]: string };
  /** Variables that switch its webhooks off, for where none are installed. */
  readonly withoutWebhooks?: { readonly [name: string]: string };
  /** What it and its image may be called in the Deployment that starts it; absent where arguments of that are of no use. */
  readonly names?: readonly string[];
  readonly metrics?: string;
  readonly readyWithinMs?: number;
  /** Flags of its source whose default is an absolute path. */
  readonly pathFlags?: { readonly [flag: string]: string };
  /** It can elect a leader. */
  readonly elects: boolean;
  /** Makes `command[0]`, in words for `spawn`. */
  readonly build?: readonly string[];
  /** What a command needs before it can run: what to look for, and the command that brings it. */
  readonly needs?: { readonly path: string; readonly get: string };
  /** Where the build leaves CRDs. */
  readonly builtDefinitions?: string;
  /** What brings CRDs into being where none lie in the repository. */
  readonly generate?: string;
  /** What a workflow needs to set up, as the name of its action. */
  readonly setUp: SetUp;
  /** Lines that .gitignore should have. */
  readonly ignored?: readonly string[];
  /** What was guessed, in words. */
  readonly notes: readonly string[];
}

export type SetUp = 'go' | 'python' | 'node' | 'rust' | 'java';
