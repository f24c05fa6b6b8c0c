/** `stalemate completion`: prints the completion script for a shell. */
import { Argument, Command } from 'commander';
import type { CommandContext } from '../command-context.ts';
import { SHELLS, type Shell } from '../completion/shells.ts';

const HELP = `
Put the line into the startup file of your shell. The script runs nothing: it holds commands, flags and values as they are
in this version. For "npx stalemate", add an alias: alias stalemate='npx stalemate'

Examples:
  stalemate completion bash
  source <(stalemate completion bash)
  source <(stalemate completion zsh)
  stalemate completion fish | source`;

/** @param wholeProgram - Returns all commands with their flags, from which the script is generated. */
export function completionCommand({ console }: CommandContext, wholeProgram: () => Promise<Command>): Command {
  return new Command('completion')
    .description('Print the script with which bash, zsh or fish completes commands, flags and values.')
    .addArgument(new Argument('<shell>', 'which one').choices(SHELLS))
    .addHelpText('after', HELP)
    .action(async (shell: Shell) => {
      const { completionTree } = await import('../completion/tree.ts');
      const { SCRIPTS } = await import('../completion/scripts.ts');
      console.out(SCRIPTS[shell](completionTree(await wholeProgram())));
    });
}
