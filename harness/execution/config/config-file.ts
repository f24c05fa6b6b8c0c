/** Finds and reads configuration files. */
import { existsSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parse as parseYaml } from 'yaml';
import { nestsDeeper } from 'stalemate-apiserver/objects/json';
import { readFileText, Unreadable } from '../../report/read-files.ts';
import { allowedClustersFile } from '../../clusters/existing/allowed-clusters.ts';
import { absolute } from './config-paths.ts';
import { checkOptions, type StalemateOptions } from './options.ts';
import { configInvalid } from '../config-invalid.ts';

/** The files that are searched for in the working directory, in this order, if `--config` is not given. */
const CONFIG_FILES: readonly string[] = ['ts', 'mjs', 'js', 'yaml', 'yml', 'json'].map(
  (end) => `stalemate.config.${end}`,
);

/** Returns the configuration file of a folder, if it has one. */
export function findConfigFile(folder: string): string | undefined {
  return CONFIG_FILES.map((name) => join(folder, name)).find((path) => existsSync(path));
}

/**
 * Reads a configuration file and makes its paths absolute.
 *
 * @throws {CONFIG_INVALID} naming file and field.
 */
export async function loadConfigFile(file: string): Promise<StalemateOptions> {
  const path = resolve(file);
  if (!existsSync(path)) {
    throw configInvalid(`"${file}" does not exist, expected a configuration file; check --config`);
  }
  const options = checkOptions(await readOptions(path), basename(path));
  refuseAllowances(options, basename(path));
  return absolute(options, dirname(path));
}

/** Rejects permissions in a project file: only users may decide which of their clusters are used, not a project that they check out. */
function refuseAllowances({ allowContexts, allowClusters }: StalemateOptions, name: string): void {
  if (allowContexts === undefined && allowClusters === undefined) return;
  const [option, flag] = allowContexts === undefined ? ['allowClusters', 'cluster'] : ['allowContexts', 'context'];
  throw configInvalid(
    `"${name}" has "${option}", which a project file must not set; expected it from the user of that cluster: --allow-${flag} on the command line, STALEMATE_ALLOW_${flag.toUpperCase()} in the environment, or their own "${allowedClustersFile()}"; take it out of the file`,
  );
}

/** The maximum size of a configuration file: far larger than any handwritten one. */
const BYTES_MAX = 16 * 1024 * 1024;

const LEVELS_MAX = 1000;

async function readOptions(path: string): Promise<unknown> {
  const name = basename(path);
  try {
    const text = readFileText(path, BYTES_MAX);
    if (/\.(ya?ml|json)$/.test(name)) {
      const options: unknown = parseYaml(text, { stringKeys: true, logLevel: 'error' });
      if (nestsDeeper(options, LEVELS_MAX))
        throw new Error(`it nests deeper than ${LEVELS_MAX} levels, or holds an anchor inside itself`);
      return options;
    }
    const module = (await import(pathToFileURL(path).href)) as { readonly default?: unknown };
    if (module.default !== undefined) return module.default;
  } catch (error) {
    if (error instanceof Unreadable)
      throw configInvalid(`"${name}" ${error.message}, expected a configuration file`, {
        cause: error,
        details: { path },
      });
    const reason = error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error);
    throw configInvalid(`"${name}" could not be loaded: ${reason}; correct it and run again`, {
      cause: error,
      details: { path },
    });
  }
  throw configInvalid(
    `"${name}" has no default export, expected one made with defineConfig; add "export default defineConfig({ … })"`,
  );
}
