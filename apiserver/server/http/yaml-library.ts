/**
 * The YAML library, loaded for the first YAML: most clients speak JSON, and loading it takes a tenth of the time to the first answer. Owns:
 * that delay.
 */
import { createRequire } from 'node:module';
import type * as YamlLibrary from 'yaml';

type Yaml = typeof YamlLibrary;

let library: Yaml | undefined;

export function yaml(): Yaml {
  library ??= createRequire(import.meta.url)('yaml') as Yaml;
  return library;
}
