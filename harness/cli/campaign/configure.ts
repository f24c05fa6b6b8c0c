/** What a search is to do: a configuration file, and on top of it flags. */
import { findConfigFile, loadConfigFile } from '../../execution/config/config-file.ts';
import type { StalemateOptions } from '../../execution/config/options.ts';
import type { RunConfig } from '../../execution/config/run-config.ts';
import { HarnessError } from '../../model/errors.ts';
import { mergeRunFlags, type RunFlags } from '../commands/run-flags.ts';
import { askAbout } from '../ask-cluster.ts';
import type { CommandContext } from '../command-context.ts';
import { secretSources } from '../../execution/config/secret-sources.ts';

/** The configuration, the file's and on top of it what the flags say. */
export async function configOf(
  flags: RunFlags,
  console: CommandContext['console'],
  usual: StalemateOptions = {},
): Promise<RunConfig> {
  const { resolveRun } = await import('../library.ts');
  const configFile = flags.config ?? findConfigFile(console.cwd);
  const configured = configFile === undefined ? {} : await loadConfigFile(configFile);
  const config = resolveRun(mergeRunFlags({ ...usual, ...configured }, flags), {
    cwd: console.cwd,
    only: flags.property ?? [],
    ...(configFile === undefined ? {} : { configFile }),
  });
  console.learn?.(secretSources(config));
  await askAbout(config.existing);
  if (config.properties.length > 0) return config;
  throw new HarnessError(
    'CONFIG_INVALID',
    'got no property, expected at least one to judge; see "stalemate list properties"',
  );
}
