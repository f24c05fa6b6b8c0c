/** The configuration of the user: the file that `--config` names, else the one of the working directory. */
import { findConfigFile, loadConfigFile } from '../execution/config/config-file.ts';
import type { StalemateOptions } from '../execution/config/options.ts';

export interface Configured {
  readonly options: StalemateOptions;
  readonly configFile?: string;
}

/** Without a file there are no options. */
export async function readConfig(named: string | undefined, cwd: string): Promise<Configured> {
  const configFile = named ?? findConfigFile(cwd);
  return configFile === undefined ? { options: {} } : { options: await loadConfigFile(configFile), configFile };
}
