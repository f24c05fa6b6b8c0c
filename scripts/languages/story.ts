/** What a client requests of a server, in steps whose traffic is compared separately. */
import type { Depth } from './forms.ts';
import type { Server } from './server.ts';

export interface Told {
  readonly server: Server;
  /** Connects through the recorder; the server's own kubeconfig does not. */
  readonly kubeconfig: string;
  readonly folder: string;
  /** Ends a step: the traffic since the last one belongs to it. */
  readonly done: (step: string, printed?: { readonly how: string; readonly lines: readonly string[] }) => void;
}

export interface Story {
  readonly client: string;
  readonly depth: Depth;
  /** @throws {StepFailed} if it does not complete. */
  readonly run: (told: Told) => Promise<void>;
  /** The program that must be installed. */
  readonly needs?: string;
  build?(log: string): Promise<void>;
}
