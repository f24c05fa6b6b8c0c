/** Configures a search from a configuration file and flags. */
import type { StalemateOptions } from '../../execution/config/options.ts';
import type { RunConfig } from '../../execution/config/run-config.ts';
import { HarnessError } from '../../model/errors.ts';
import { mergeRunFlags, type RunFlags } from '../commands/run-flags.ts';
import { askAbout } from '../ask-cluster.ts';
import { readConfig } from '../configured.ts';
import type { RunContext } from '../library.ts';
import type { CommandContext } from '../command-context.ts';
import { secretSources } from '../../execution/config/secret-sources.ts';

/** Reads the configuration file and applies the flags. */
export async function configOf(
  flags: RunFlags,
  console: CommandContext['console'],
  usual: StalemateOptions = {},
): Promise<RunConfig> {
  const { options, ...file } = await readConfig(flags.config, console.cwd);
  const only = flags.property ?? [];
  const config = await resolved(mergeRunFlags({ ...usual, ...options }, flags), { only, ...file }, console);
  if (config.properties.length > 0) return config;
  throw new HarnessError(
    'CONFIG_INVALID',
    'got no property, expected at least one to judge; see "stalemate list properties"',
  );
}

/**
 * Resolves a configuration that is about to be used: registers its secrets to be hidden in all further output, and asks the user about its
 * cluster if necessary.
 */
export async function resolved(
  options: StalemateOptions,
  context: Pick<RunContext, 'only' | 'configFile'>,
  { cwd, learn }: CommandContext['console'],
): Promise<RunConfig> {
  const { resolveRun } = await import('../library.ts');
  const config = resolveRun(options, { cwd, ...context });
  learn?.(secretSources(config));
  await askAbout(config.existing);
  return config;
}
