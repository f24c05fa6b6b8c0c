/**
 * The one file that knows all properties, writers and controllers under test. To add one, add it to the list that this file imports:
 * `properties/index.ts`, `actors/writers/index.ts`, `controllers-under-test/catalogue.json`.
 */
import catalogue from '../../controllers-under-test/catalogue.json' with { type: 'json' };
import { WRITERS } from '../actors/writers/index.ts';
import { loadConfigFile, ownProperties } from '../execution/config.ts';
import type { Registry } from '../execution/worker-main.ts';
import { properties as catalogueOfClaims } from '../../properties/index.ts';
import type { Property } from '../oracle/property.ts';
import type { AdversarialWriter } from '../schedule/workload/writer.ts';

/** The catalogue of claims, in the order of their numbers. */
export const properties: readonly Property[] = catalogueOfClaims;

/** The kinds of adversarial writers. */
export const writers: readonly AdversarialWriter[] = WRITERS;

/** One variant of a controller under test; paths are relative to `controllers-under-test/`. */
export interface ControllerUnderTest {
  readonly controller: string;
  readonly variant: string;
  readonly module: string;
  readonly crds: readonly string[];
  readonly sample: string;
  /** Means to run more than once at a time. */
  readonly leaderElection?: boolean;
  /** `holds`, or the properties that it must be caught by. */
  readonly expected: string | readonly string[];
}

export const controllers: readonly ControllerUnderTest[] = catalogue;

/** What a worker needs. */
export const registry: Registry = {
  writers,
  properties: async (names, configFile) => {
    const known = await knownProperties(configFile);
    return names.flatMap((name) => known.find((property) => property.name === name) ?? []);
  },
};

/** The catalogue and, with a configuration file, the user's own. */
export async function knownProperties(configFile: string | null): Promise<readonly Property[]> {
  return configFile === null ? properties : [...properties, ...ownProperties(await loadConfigFile(configFile))];
}
