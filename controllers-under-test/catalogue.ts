/** The list of all controllers under test. Imports nothing of the harness. */
import catalogue from './catalogue.json' with { type: 'json' };

/**
 * One variant of a controller under test; paths are relative to this folder. It has either a `module`, which runs inside
 * the harness, or a `language` and a `command`, which runs as a process and has to be built first (`scripts/controllers.ts`).
 */
export interface ControllerUnderTest {
  readonly controller: string;
  readonly variant: string;
  readonly module?: string;
  /** `go`, `java`, `python` or `rust`. */
  readonly language?: string;
  /** Program and arguments; `{built}` is the build folder, `{sources}` the folder of the controller. */
  readonly command?: readonly string[];
  /** Its environment variables, with the same placeholders. */
  readonly env?: { readonly [name: string]: string };
  readonly crds: readonly string[];
  readonly sample: string;
  /** Supports two replicas. */
  readonly leaderElection?: boolean;
  /** Keeps state outside of the cluster. */
  readonly effects?: boolean;
  /** `holds`, or the properties that it must violate. */
  readonly expected: string | readonly string[];
}

/** All controllers under test. */
export const controllers: readonly ControllerUnderTest[] = catalogue;
