/** The first lines of a search. */
import type { RunConfig } from '../../execution/config/run-config.ts';
import { redactTexts } from '../../report/redaction/index.ts';
import type { Vault } from '../../report/redaction/vault.ts';
import type { CommandContext } from '../command-context.ts';
import { secretSources } from '../../execution/config/secret-sources.ts';
import { targetText } from '../scenario.ts';

export interface HeadManner extends Pick<CommandContext, 'console'> {
  readonly tell: (text: string) => void;
  readonly vault: Vault;
}

/** Logs of a CI are read by many: what a command or a variable says in secret is not told there either. */
export function tellHead(config: RunConfig, how: string, { tell, console, vault }: HeadManner): void {
  const first = [headText(config, how, console.cwd), ...config.warnings];
  const [head = '', ...warnings] = redactTexts(first, secretSources(config), vault);
  tell(`${head}\n`);
  for (const warning of warnings) tell(`warning: ${warning}\n`);
}

/** What is about to run, so that the output alone tells how to run it again. */
function headText(config: RunConfig, how: string, cwd: string): string {
  const names = config.properties.map(({ name }) => name).join(', ');
  return [
    `stalemate: ${targetText(config, cwd)} on ${config.cluster}, ${how}`,
    `properties: ${names}`,
    `writers: ${config.writers.join(', ') || 'none'} · faults: ${config.faults.join(', ') || 'none'}`,
  ].join('\n');
}
