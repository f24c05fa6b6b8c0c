/** The commands, their flags, and the possible values of flags and arguments, as data. Derives them from the parser. */
import type { Command, Option } from 'commander';
import { FAULT_KINDS, CONNECTION } from '../../model/fault-kinds.ts';
import { properties } from '../registry.ts';
import { FORMAT_NAMES } from '../reports.ts';

export interface CompletionFlag {
  /** For example `--cluster`. */
  readonly name: string;
  readonly about: string;
  readonly takesValue: boolean;
  /** Empty if any value is possible, in which case files are completed. */
  readonly values: readonly string[];
}

export interface CompletionCommand {
  /** For example `corpus run`; empty for the program itself. */
  readonly path: string;
  readonly about: string;
  readonly flags: readonly CompletionFlag[];
  /** Names of its subcommands, or the possible values of its first argument. */
  readonly words: readonly string[];
}

/** Values of flags that accept several words of a list. */
const VALUES: { readonly [flag: string]: readonly string[] } = {
  '--faults': [CONNECTION, ...FAULT_KINDS],
  '--property': properties.map(({ name }) => name),
  '--report': FORMAT_NAMES,
};

/** Returns all commands, the program itself first. */
export function completionTree(root: Command): readonly CompletionCommand[] {
  return below(root, '');
}

function below(command: Command, path: string): readonly CompletionCommand[] {
  const { commands } = command;
  return [
    {
      path,
      about: command.description(),
      flags: [...command.options.map((option) => flagOf(option)), HELP],
      words:
        commands.length > 0 ? commands.map((one) => one.name()) : (command.registeredArguments[0]?.argChoices ?? []),
    },
    ...commands.flatMap((one) => below(one, path === '' ? one.name() : `${path} ${one.name()}`)),
  ];
}

const HELP: CompletionFlag = { name: '--help', about: 'display help for command', takesValue: false, values: [] };

function flagOf(option: Option): CompletionFlag {
  const name = option.long ?? option.flags;
  return {
    name,
    about: option.description,
    takesValue: option.required || option.optional,
    values: option.argChoices ?? VALUES[name] ?? [],
  };
}
