/**
 * Reads flags from environment variables: `--report-dir` is `STALEMATE_REPORT_DIR`, and likewise for every flag of every
 * command.
 *
 * A flag on the command line takes precedence; an empty variable is ignored; flags that may be repeated take one value per
 * line. Errors name the variable, and unknown names cause a warning.
 */
import type { Command, Option } from 'commander';
import type { EnvVars } from 'stalemate-apiserver/processes/env-vars';
import { HarnessError } from '../model/errors.ts';
import { nearestOf } from '../model/similar.ts';
import { usage } from './arguments.ts';

const PREFIX = 'STALEMATE_';
/** Variables that the executable reads, or that its processes set for one another. */
const OURS: ReadonlySet<string> = new Set(['STALEMATE_NODE_TOO_OLD', 'STALEMATE_LIFE']);
/** Kubernetes sets these in every pod of a namespace with a service named "stalemate". */
const SERVICE_LINK = /^STALEMATE_(?:SERVICE|PORT_\d)/;
const SERVICE_ADDRESS = /^(?:tcp|udp|sctp):\/\//;
/** Flags that select an existing cluster. */
const CLUSTER_FLAGS: ReadonlySet<string> = new Set(['--kubeconfig', '--context']);
const YES: ReadonlySet<string> = new Set(['1', 'true', 'yes', 'on']);
const NO: ReadonlySet<string> = new Set(['0', 'false', 'no', 'off']);

/** Returns the variable of a flag: `--stop-after` is `STALEMATE_STOP_AFTER`. */
function variableOf({ long }: Pick<Option, 'long'>): string {
  return `${PREFIX}${(long ?? '').slice(2).toUpperCase().replaceAll('-', '_')}`;
}

/**
 * Sets the flags of a command that are set in the environment and not on the command line.
 *
 * @throws {USAGE} with the variable's name.
 */
export function applyEnvironment(command: Command, env: EnvVars): void {
  for (const option of command.options) {
    const variable = variableOf(option);
    const value = (env[variable] ?? '').trim();
    if (option.long === undefined || value === '' || SERVICE_ADDRESS.test(value)) continue;
    const key = option.attributeName();
    const source = command.getOptionValueSource(key);
    if (source !== undefined && source !== 'default') continue;
    if (CLUSTER_FLAGS.has(option.long))
      throw usage(
        `got ${variable}, expected ${option.long} on the command line: which cluster may be written to is never taken from the environment; unset it`,
      );
    const parsed = option.required || option.optional ? valueOf(option, value, variable) : switched(option, value);
    if (parsed !== undefined) command.setOptionValueWithSource(key, parsed, 'env');
  }
}

function valueOf(option: Option, value: string, variable: string): unknown {
  const { argChoices: words } = option;
  if (words !== undefined && !words.includes(value))
    throw usage(`got ${variable}="${value}", expected ${words.join(', ')}`);
  const parse: ((text: string, before: unknown) => unknown) | undefined = option.parseArg;
  if (parse === undefined || words !== undefined) return value;
  // A parser with a second parameter collects repeated values.
  const values = parse.length > 1 ? value.split('\n').map((line) => line.trim()) : [value];
  try {
    let before: unknown;
    for (const one of values.filter((line) => line !== '')) before = parse(one, before);
    return before;
  } catch (error) {
    if (!(error instanceof HarnessError)) throw error;
    throw new HarnessError(error.code, `${error.message}; it comes from ${variable}`, { cause: error });
  }
}

/** Parses the value of a switch; returns undefined if the switch should stay unset. */
function switched(option: Option, value: string): boolean | undefined {
  const word = value.toLowerCase();
  if (YES.has(word)) return !option.negate;
  if (NO.has(word)) return undefined;
  throw usage(`got ${variableOf(option)}="${value}", expected true or false`);
}

/** Returns a sentence for each variable that has our prefix but belongs to no flag. */
export function unknownVariables(env: EnvVars, commands: readonly Command[]): readonly string[] {
  const known = [...new Set(commands.flatMap(flagVariables))];
  return Object.keys(env)
    .filter((name) => name.startsWith(PREFIX) && !OURS.has(name) && !SERVICE_LINK.test(name) && !known.includes(name))
    .map((name) => {
      const nearest = nearestOf(name, known);
      const hint = nearest === undefined ? '' : `; did you mean ${nearest}?`;
      return `${name} is set, and no command has a flag of that name${hint}`;
    });
}

function flagVariables(command: Command): readonly string[] {
  return [...command.options.map(variableOf), ...command.commands.flatMap(flagVariables)];
}
