/** `stalemate list`: lists properties, writers and other choices. */
import { Argument, Command } from 'commander';
import { FAULTS } from '../../model/fault-kinds.ts';
import type { CommandContext } from '../command-context.ts';

interface Entry {
  readonly name: string;
  readonly about: string;
}

const WHATS = ['properties', 'writers', 'faults', 'strategies'] as const;

type What = (typeof WHATS)[number];

const HELP = `
Names that a configuration or a flag takes: --property, "writers", "faults". Strategies are how a search orders events.

Examples:
  stalemate list properties
  stalemate list faults
  stalemate list writers --json`;

export function listCommand(context: CommandContext): Command {
  return new Command('list')
    .description('Show what there is to choose from.')
    .addArgument(new Argument('<what>', 'what to show').choices(WHATS))
    .option('--json', 'print a JSON list')
    .addHelpText('after', HELP)
    .action(async (what: What, { json }: { readonly json?: boolean }) => {
      const entries = await entriesOf(what);
      context.console.out(json === true ? `${JSON.stringify(entries, null, 2)}\n` : tableText(entries));
    });
}

async function entriesOf(what: What): Promise<readonly Entry[]> {
  // Imported on demand, so that `--help` does not load the whole harness.
  const registry = await import('../registry.ts');
  switch (what) {
    case 'properties':
      return registry.properties.map(({ name, id, about }) => ({
        name,
        about: id === undefined ? about : `${id}: ${about}`,
      }));
    case 'writers':
      return registry.writers.map(({ name, about }) => ({ name, about }));
    case 'faults':
      return Object.entries(FAULTS).map(([name, about]) => ({ name, about }));
    case 'strategies': {
      const { strategies } = await import('../../schedule/strategies/index.ts');
      return Object.entries(strategies).map(([name, { about }]) => ({ name, about }));
    }
    default:
      return what satisfies never;
  }
}

function tableText(entries: readonly Entry[]): string {
  const width = Math.max(0, ...entries.map(({ name }) => name.length));
  return entries.map(({ name, about }) => `${name.padEnd(width)}  ${about}\n`).join('');
}
