/** The first lines of a search. */
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

/** Logs of a CI are read by many: secrets of a command or a variable are not printed there either. */
export function printHead(config: RunConfig, how: string, { print, console, vault }: HeadManner): void {
  const first = [headText(config, how, console.cwd), ...config.warnings];
  const [head = '', ...warnings] = redactTexts(first, secretSources(config), vault);
  print(`${head}\n`);
  for (const warning of warnings) print(`warning: ${warning}\n`);
}

/** What is about to run, so that the output alone says how to run it again. */
function headText(config: RunConfig, how: string, cwd: string): string {
  const names = config.properties.map(({ name }) => name).join(', ');
  return [
    `stalemate: ${targetText(config, cwd)} on ${config.cluster}, ${how}`,
    `properties: ${names}`,
    `writers: ${config.writers.join(', ') || 'none'} · faults: ${config.faults.join(', ') || 'none'}`,
  ].join('\n');
}
