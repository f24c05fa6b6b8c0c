/**
 * The only file that imports all properties and writers. To add one, add it to the list that this file imports: `properties/index.ts`,
 * `actors/writers/index.ts`.
 */
import { WRITERS } from '../actors/writers/index.ts';
import { loadConfigFile } from '../execution/config/config-file.ts';
import { ownProperties } from '../execution/config/options.ts';
import type { Registry } from '../execution/worker/worker-main.ts';
import { properties as builtIn } from '../../properties/index.ts';
import type { Property } from '../oracle/property.ts';
import type { AdversarialWriter } from '../schedule/workload/writer.ts';

/** The built-in properties, sorted by their numbers. */
export const properties: readonly Property[] = builtIn;

/** The kinds of adversarial writers. */
export const writers: readonly AdversarialWriter[] = WRITERS;

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
