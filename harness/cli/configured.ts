/** Reads the user's configuration: the file of `--config`, else the one in the working directory. */
import { findConfigFile, loadConfigFile } from '../execution/config/config-file.ts';
import type { StalemateOptions } from '../execution/config/options.ts';

export interface Configured {
  readonly options: StalemateOptions;
  readonly configFile?: string;
}

/** Reads the configuration; returns empty options if there is no file. */
export async function readConfig(named: string | undefined, cwd: string): Promise<Configured> {
  const configFile = named ?? findConfigFile(cwd);
  return configFile === undefined ? { options: {} } : { options: await loadConfigFile(configFile), configFile };
}
