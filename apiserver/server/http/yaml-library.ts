/**
 * The YAML library, loaded when it is first needed: most clients send JSON, and loading it takes a tenth of the time to the first answer.
 * Owns: loading it lazily.
 */
import { createRequire } from 'node:module';
import type * as YamlLibrary from 'yaml';

type Yaml = typeof YamlLibrary;

let library: Yaml | undefined;

export function yaml(): Yaml {
  library ??= createRequire(import.meta.url)('yaml') as Yaml;
  return library;
}
