/** The flags that say what the target is and what it runs against: the same for every command that starts it from a configuration. */
import type { Command } from 'commander';
import type { StalemateOptions } from '../../execution/config/options.ts';
import type { ClusterPart } from '../../model/cluster.ts';
import type { FileSystem, Network, ProgramTime } from '../../model/counterexample.ts';
import {
  authorizationArgument,
  collect,
  envArgument,
  existingFlags,
  metricsArgument,
  fileSystemArgument,
  networkArgument,
  programTimeArgument,
  paceArgument,
  readyArgument,
  partsArgument,
  timeArgument,
} from '../arguments.ts';
import { withClusterFlags, type ClusterFlags } from './cluster-flags.ts';
import { kindOf } from './kind-flags.ts';

export interface TargetFlags extends ClusterFlags {
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
  readonly env?: { readonly [name: string]: string };
  readonly network?: Network;
  readonly fileSystem?: FileSystem;
  readonly time?: ProgramTime;
  readonly ready?: string;
  readonly readyWithin?: number;
  readonly grace?: number;
  readonly metrics?: string;
  readonly leaderElection?: boolean;
  readonly serialised?: boolean;
}

/** Adds them to a command, with the program after `--` as its argument. */
export function withTargetFlags(command: Command): Command {
  const flags = command
    .argument('[command...]', 'after --: the program that is the target, and its arguments')
    .option('--config <file>', 'configuration file')
    .option('--crds <path>', 'file or folder with CRDs; may be given several times', collect)
    .option('--sample <file>', 'YAML with the objects a run starts from; may be given several times', collect)
    .option('--manifests <path>', 'what the project ships: kustomize or helm output (several times)', collect)
    .option('--deployment <name>', 'which Deployment of the manifests the target is')
    .option('--authorization <mode>', 'roles of the manifests: rbac or allow-all', authorizationArgument)
    .option('--environment <speed>', 'pods and workloads become ready: auto, off, fast or slow', paceArgument)
    .option('--with <parts>', 'behind envtest: kube-controller-manager, or kube-controller-manager,kwok', partsArgument)
    .option('--target <module>', 'module that starts the controller')
    .option('--image <name>', 'image that is the target, run inside a kind cluster; its arguments follow --')
    .option('--directory <dir>', 'where the program is started (default: the working directory)')
    .option('--env <name=value>', 'a variable for the program, placeholders replaced (several times)', envArgument)
    .option('--ready <how>', 'when it has started: quiet, url:…, log:…, watch:… (default: quiet)', readyArgument)
    .option('--ready-within <time>', 'time limit for starting (default: 30s)', timeArgument('--ready-within'))
    .option('--grace <time>', 'SIGTERM and so long to end, instead of SIGKILL', timeArgument('--grace'))
    .option('--metrics <url>', 'its Prometheus endpoint, for its count of reconciles', metricsArgument)
    .option('--network <kind>', 'what the program can reach: "none" (default) or "host"', networkArgument)
    .option('--file-system <kind>', 'which files the program sees: "own" (default) or "host"', fileSystemArgument)
    .option(
      '--time <kind>',
      'how time passes for the program: "virtual" (default, where possible) or "real"',
      programTimeArgument,
    )
    .option('--leader-election', 'it elects a leader: a second replica may run beside the first')
    .option('--serialised', 'for a program with one connection: one order for what it sends, slower, replays agree');
  return withClusterFlags(flags);
}

/** The flags with the program that stands after `--`; a word before it that is no option is a slip rather than a program. */
export function flagsWith<T extends TargetFlags>(words: readonly string[], flags: T, self: Command): T {
  const { named, command } = wordsOf(words, self);
  if (named.length > 0) self.error(`too many arguments: "${named.join(' ')}"; a command follows --`);
  return command.length === 0 ? flags : { ...flags, command };
}

/** The words of a command line, apart: those before `--`, and the program after it. */
export function wordsOf(
  words: readonly string[],
  self: Command,
): { readonly named: readonly string[]; readonly command: readonly string[] } {
  const raw = rawArgumentsOf(self);
  const mark = raw.indexOf('--');
  const after = mark < 0 ? 0 : raw.length - mark - 1;
  return { named: words.slice(0, words.length - after), command: words.slice(words.length - after) };
}

/** As they were typed; only the outermost command knows. */
export function rawArgumentsOf(command: Command): readonly string[] {
  let root = command;
  while (root.parent !== null) root = root.parent;
  return (root as unknown as { readonly rawArgs?: readonly string[] }).rawArgs ?? [];
}

/** What the flags say, on top of the configuration file. */
export function mergeTargetFlags(configured: StalemateOptions, flags: TargetFlags): StalemateOptions {
  const base = withoutOtherTarget(configured, flags);
  return {
    ...base,
    ...(flags.crds === undefined ? {} : { crds: flags.crds }),
    ...(flags.sample === undefined ? {} : { samples: flags.sample }),
    ...(flags.manifests === undefined ? {} : { manifests: flags.manifests }),
    ...(flags.deployment === undefined ? {} : { deployment: flags.deployment }),
    ...(flags.authorization === undefined ? {} : { authorization: flags.authorization }),
    ...(flags.environment === undefined ? {} : { environment: { workloads: flags.environment } }),
    ...(flags.with === undefined ? {} : { with: flags.with }),
    ...(flags.target === undefined ? {} : { target: flags.target }),
    ...(flags.command === undefined ? {} : { command: flags.command }),
    ...(flags.image === undefined ? {} : { image: flags.image }),
    ...(flags.directory === undefined ? {} : { directory: flags.directory }),
    ...(flags.env === undefined ? {} : { env: { ...base.env, ...flags.env } }),
    ...(flags.ready === undefined ? {} : { ready: flags.ready }),
    ...(flags.readyWithin === undefined ? {} : { readyWithinMs: flags.readyWithin }),
    ...(flags.grace === undefined ? {} : { graceMs: flags.grace }),
    ...(flags.metrics === undefined ? {} : { metrics: flags.metrics }),
    ...(flags.leaderElection === undefined ? {} : { leaderElection: flags.leaderElection }),
    ...(flags.network === undefined ? {} : { network: flags.network }),
    ...(flags.fileSystem === undefined ? {} : { fileSystem: flags.fileSystem }),
    ...(flags.time === undefined ? {} : { time: flags.time }),
    ...(flags.cluster === undefined ? {} : { cluster: flags.cluster }),
    ...existingFlags(flags),
    kind: kindOf(base.kind, flags),
    ...(flags.toxiproxy === undefined ? {} : { toxiproxy: flags.toxiproxy }),
    ...(flags.serialised === undefined ? {} : { serialised: flags.serialised }),
  };
}

/** What says where and how a program runs on this machine. */
const OF_PROGRAMS: ReadonlySet<string> = new Set<keyof StalemateOptions>([
  'command',
  'directory',
  'network',
  'fileSystem',
  'time',
  'metrics',
  'warm',
  'serialised',
  'programs',
]);

/**
 * What a flag names takes the place of what the file names: a module that of a program, with what is for programs only; an image as well,
 * where the file has none; and the reverse.
 */
function withoutOtherTarget(configured: StalemateOptions, { target, command, image }: TargetFlags): StalemateOptions {
  if (target !== undefined) {
    const {
      command: _,
      image: __,
      metrics: ___,
      warm: ____,
      serialised: _____,
      programs: ______,
      ...others
    } = configured;
    return others;
  }
  if (command === undefined && image === undefined) return configured;
  const { target: _, ...others } = configured;
  if (image === undefined || configured.image !== undefined) return others;
  return Object.fromEntries(Object.entries(others).filter(([name]) => !OF_PROGRAMS.has(name)));
}
