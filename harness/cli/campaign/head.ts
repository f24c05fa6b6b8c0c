/** Prints the first lines of a search. */
import type { RunConfig } from '../../execution/config/run-config.ts';
import { redactTexts } from '../../report/redaction/index.ts';
import type { Vault } from '../../report/redaction/vault.ts';
import type { CommandContext } from '../command-context.ts';
import { secretSources } from '../../execution/config/secret-sources.ts';
import { targetText } from '../scenario.ts';

export interface HeadManner extends Pick<CommandContext, 'console'> {
  readonly print: (text: string) => void;
  readonly vault: Vault;
}

/** Prints the first lines without the secrets in commands and variables, because many people can read CI logs. */
export function printHead(config: RunConfig, how: string, { print, console, vault }: HeadManner): void {
  const first = [headText(config, how, console.cwd), ...config.warnings];
  const [head = '', ...warnings] = redactTexts(first, secretSources(config), vault);
  print(`${head}\n`);
  for (const warning of warnings) print(`warning: ${warning}\n`);
}

/** Describes the run, so that the output alone shows how to repeat it. */
function headText(config: RunConfig, how: string, cwd: string): string {
  const names = config.properties.map(({ name }) => name).join(', ');
  return [
    `stalemate: ${targetText(config, cwd)} on ${config.cluster}, ${how}`,
    `properties: ${names}`,
    `writers: ${config.writers.join(', ') || 'none'} · faults: ${config.faults.join(', ') || 'none'}`,
  ].join('\n');
}
