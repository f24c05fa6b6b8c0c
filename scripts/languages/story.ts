/** What a client does on a server, in steps that are compared one by one. */
import type { Depth } from './forms.ts';
import type { Server } from './server.ts';

export interface Told {
  readonly server: Server;
  /** Leads through the recorder; that of the server itself does not. */
  readonly kubeconfig: string;
  readonly folder: string;
  /** Ends a step: what has passed since the last one belongs to it. */
  readonly done: (step: string, printed?: { readonly how: string; readonly lines: readonly string[] }) => void;
}

export interface Story {
  readonly client: string;
  readonly depth: Depth;
  /** @throws {StepFailed} when it does not come to its end. */
  readonly run: (told: Told) => Promise<void>;
  /** The program that must be there. */
  readonly needs?: string;
  build?(log: string): Promise<void>;
}
