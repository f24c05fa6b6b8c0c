/** The flags that select the target and its environment, for every command that starts a target from a configuration. */
import type { Command } from 'commander';
import type { StalemateOptions } from '../../execution/config/options.ts';
import type { ClusterPart } from '../../model/cluster.ts';
import type { FileSystem, Network, ProgramTime } from '../../model/counterexample.ts';
import {
  authorizationOption,
  choice,
  collect,
  envArgument,
  existingFlags,
  metricsArgument,
  readyArgument,
  partsArgument,
  timeArgument,
} from '../arguments.ts';
import { withClusterFlags, type ClusterFlags } from './cluster-flags.ts';
import { kindOf } from './kind-flags.ts';
import { given } from '../../model/given.ts';

/** How a program runs as the target. */
export type ProgramFlags = Pick<StalemateOptions, 'env' | 'network' | 'fileSystem' | 'time'>;

export interface TargetFlags extends ClusterFlags, ProgramFlags {
  readonly config?: string;
  readonly crds?: readonly string[];
  readonly sample?: readonly string[];
  readonly manifests?: readonly string[];
  readonly deployment?: string;
  readonly authorization?: 'rbac' | 'allow-all';
  readonly environment?: 'auto' | 'off' | 'fast' | 'slow';
  readonly with?: readonly ClusterPart[];
  readonly target?: string;
  readonly command?: readonly string[];
  readonly image?: string;
  readonly directory?: string;
  readonly ready?: string;
  readonly readyWithin?: number;
  readonly grace?: number;
  readonly metrics?: string;
  readonly leaderElection?: boolean;
  readonly serialised?: boolean;
}

/** Flags that set the option of the same name. */
const SAME = [
  ...(['crds', 'manifests', 'deployment', 'authorization', 'with', 'target', 'command', 'image', 'directory'] as const),
  ...(['ready', 'metrics', 'leaderElection', 'network', 'fileSystem', 'time', 'cluster', 'toxiproxy'] as const),
  'serialised',
] as const satisfies readonly (keyof TargetFlags & keyof StalemateOptions)[];

/** Adds the target flags to a command, and the program after `--` as its argument. */
export function withTargetFlags(command: Command): Command {
  const flags = command
    .argument('[command...]', 'after --: the program that is the target, and its arguments')
    .option('--config <file>', 'configuration file')
    .option('--crds <path>', 'file or folder with CRDs; may be given several times', collect)
    .option('--sample <file>', 'YAML with the objects a run starts from; may be given several times', collect)
    .option('--manifests <path>', 'what the project ships: kustomize or helm output (several times)', collect)
    .option('--deployment <name>', 'which Deployment of the manifests the target is')
    .addOption(authorizationOption())
    .addOption(
      choice('--environment <speed>', 'how pods and workloads become ready (default: auto; for a module: off)', [
        'auto',
        'off',
        'fast',
        'slow',
      ]),
    )
    .option('--with <parts>', 'behind envtest: kube-controller-manager, or kube-controller-manager,kwok', partsArgument)
    .option('--target <module>', 'module that starts the controller')
    .option('--image <name>', 'image that is the target, run inside a kind cluster; its arguments follow --')
    .option('--directory <dir>', 'where the program is started (default: the working directory)')
    .option('--ready <how>', 'when it has started: quiet, url:…, log:…, watch:… (default: quiet)', readyArgument)
    .option('--ready-within <time>', 'time limit for starting (default: 30s)', timeArgument('--ready-within'))
    .option(
      '--grace <time>',
      'at the end of a run: SIGTERM, and this long to exit (default: SIGKILL at once)',
      timeArgument('--grace'),
    )
    .option('--metrics <url>', 'its Prometheus endpoint, for its count of reconciles', metricsArgument)
    .option('--leader-election', 'it elects a leader: a second replica may run beside the first')
    .option('--serialised', 'for a program with one connection: one order for what it sends, slower, replays agree');
  return withClusterFlags(withProgramFlags(flags, 'virtual, where possible'));
}

/** Adds the flags of programs. */
export function withProgramFlags(command: Command, usualTime: string): Command {
  return command
    .option('--env <name=value>', 'a variable for the program, placeholders replaced (several times)', envArgument)
    .addOption(choice('--network <kind>', 'what the program can reach (default: none but loopback)', NETWORKS))
    .addOption(
      choice('--file-system <kind>', "files the program sees (default: own, the system's and the project)", FILES),
    )
    .addOption(choice('--time <kind>', `how time passes for the program (default: ${usualTime})`, TIMES));
}

const NETWORKS: readonly Network[] = ['none', 'host'];
const FILES: readonly FileSystem[] = ['own', 'host'];
const TIMES: readonly ProgramTime[] = ['virtual', 'real'];

/** Adds the program after `--` to the flags; refuses other arguments before `--`, which are probably a mistake. */
export function flagsWith<T extends TargetFlags>(words: readonly string[], flags: T, self: Command): T {
  const { named, command } = wordsOf(words, self);
  if (named.length > 0) self.error(`too many arguments: "${named.join(' ')}"; a command follows --`);
  return command.length === 0 ? flags : { ...flags, command };
}

/** Splits the arguments at `--`: those before it, and the program after it. */
export function wordsOf(
  words: readonly string[],
  self: Command,
): { readonly named: readonly string[]; readonly command: readonly string[] } {
  const raw = rawArgumentsOf(self);
  const mark = raw.indexOf('--');
  const after = mark < 0 ? 0 : raw.length - mark - 1;
  return { named: words.slice(0, words.length - after), command: words.slice(words.length - after) };
}

/** Returns the arguments as typed, which only the outermost command stores. */
export function rawArgumentsOf(command: Command): readonly string[] {
  let root = command;
  while (root.parent !== null) root = root.parent;
  return (root as unknown as { readonly rawArgs?: readonly string[] }).rawArgs ?? [];
}

/** Applies the flags to the options of the configuration file. */
export function mergeTargetFlags(configured: StalemateOptions, flags: TargetFlags): StalemateOptions {
  const base = withoutOtherTarget(configured, flags);
  const { sample: samples, readyWithin: readyWithinMs, grace: graceMs, environment, env } = flags;
  return {
    ...base,
    ...only(flags, SAME),
    ...given({ samples, readyWithinMs, graceMs }),
    ...(environment === undefined ? {} : { environment: { workloads: environment } }),
    ...(env === undefined ? {} : { env: { ...base.env, ...env } }),
    ...existingFlags(flags),
    kind: kindOf(base.kind, flags),
  };
}

/** Options that only a program has. */
const OF_PROGRAMS = ['command', 'metrics', 'serialised', 'programs'] as const;
/** Options of a program that runs on this machine. */
const ON_THIS_MACHINE = ['directory', 'network', 'fileSystem', 'time'] as const;

/**
 * Removes the target of the configuration file if a flag selects another one. A module replaces a program and its settings. So does an
 * image, unless the file has an image, too. A program or an image replaces a module.
 */
function withoutOtherTarget(configured: StalemateOptions, { target, command, image }: TargetFlags): StalemateOptions {
  if (target !== undefined) return without(configured, ['image', ...OF_PROGRAMS]);
  if (command === undefined && image === undefined) return configured;
  const isOtherImage = image !== undefined && configured.image === undefined;
  return without(configured, isOtherImage ? ['target', ...OF_PROGRAMS, ...ON_THIS_MACHINE] : ['target']);
}

function without(options: StalemateOptions, names: readonly (keyof StalemateOptions)[]): StalemateOptions {
  return Object.fromEntries(Object.entries(options).filter(([name]) => !names.some((one) => one === name)));
}

function only(flags: TargetFlags, names: typeof SAME): StalemateOptions {
  return Object.fromEntries(names.flatMap((name) => (flags[name] === undefined ? [] : [[name, flags[name]]])));
}
