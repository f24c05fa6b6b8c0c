/**
 * The only file that imports all properties, writers and controllers under test. To add one, add it to the list that this file
 * imports: `properties/index.ts`, `actors/writers/index.ts`, `controllers-under-test/catalogue.json`.
 */
import catalogue from '../../controllers-under-test/catalogue.json' with { type: 'json' };
import { WRITERS } from '../actors/writers/index.ts';
import { loadConfigFile } from '../execution/config/config-file.ts';
import { ownProperties } from '../execution/config/options.ts';
import type { Registry } from '../execution/worker/worker-main.ts';
import { properties as catalogueOfClaims } from '../../properties/index.ts';
import type { Property } from '../oracle/property.ts';
import type { AdversarialWriter } from '../schedule/workload/writer.ts';

/** The built-in properties, sorted by their numbers. */
export const properties: readonly Property[] = catalogueOfClaims;

/** The kinds of adversarial writers. */
export const writers: readonly AdversarialWriter[] = WRITERS;

/**
 * One variant of a controller under test; paths are relative to `controllers-under-test/`. It has either a `module`, which runs inside
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

export const controllers: readonly ControllerUnderTest[] = catalogue;

/** The parts of the registry that a worker needs. */
export const registry: Registry = {
  writers,
  properties: async (names, configFile) => {
    const known = await knownProperties(configFile);
    return names.flatMap((name) => known.find((property) => property.name === name) ?? []);
  },
};

/** Returns the built-in properties and, with a configuration file, the user's own. */
export async function knownProperties(configFile: string | null): Promise<readonly Property[]> {
  return configFile === null ? properties : [...properties, ...ownProperties(await loadConfigFile(configFile))];
}
