/**
 * Reads the file to replay: a counterexample, a record, or a corpus entry, which needs the CRDs and manifests of the user's configuration.
 *
 * Owns: which flags may accompany which file. Does not own: whose target is started (`stored-target.ts`).
 */
import type { StalemateOptions } from '../execution/config/options.ts';
import { counterexampleOfEntry } from '../model/corpus.ts';
import type { Counterexample } from '../model/counterexample.ts';
import { decodeCorpusEntry } from '../schedule/codec/corpus-entry.ts';
import { kindOf, parseJson } from '../schedule/codec/format.ts';
import { decodeReplayable } from '../schedule/codec/record.ts';
import { usage } from './arguments.ts';
import { mergeTargetFlags, type TargetFlags } from './commands/target-flags.ts';
import type { Configured } from './configured.ts';
import { readText } from './read-text.ts';

/** The options that a corpus entry does not contain. */
const OF_PROJECTS = ['crds', 'manifests', 'deployment', 'authorization'] as const;

export type ProjectFlags = Pick<TargetFlags, (typeof OF_PROJECTS)[number]>;

export interface ReplayedFile {
  readonly stored: Counterexample;
  /** The user's command with the arguments of its Deployment, as for a run; absent for a file that contains the manifests. */
  readonly command?: readonly string[];
}

/**
 * @throws {USAGE} for a file that cannot be read, or for project flags with a file that contains its own manifests.
 * @throws {FORMAT_INVALID} {FORMAT_TOO_NEW} {CONFIG_INVALID} {MANIFEST_INVALID}
 */
export async function readReplayed(
  file: string,
  flags: ProjectFlags & Pick<TargetFlags, 'target' | 'command'>,
  { options, configFile }: Configured,
  cwd: string,
): Promise<ReplayedFile> {
  const text = readText(file, 'counterexample');
  if (kindOf(parseJson(text, file, 'counterexample')) !== 'corpus-entry') {
    const named = OF_PROJECTS.find((name) => flags[name] !== undefined);
    if (named === undefined) return { stored: decodeReplayable(text, file) };
    throw usage(`got --${named} with a file that contains its own CRDs and manifests, expected none; leave it out`);
  }
  const entry = decodeCorpusEntry(text, file);
  const { resolveRun } = await import('./library.ts');
  const {
    crds,
    project,
    process: started,
  } = resolveRun(
    withTarget(mergeTargetFlags(options, flags), entry.target),
    { cwd, ...(configFile === undefined ? {} : { configFile }) },
    true,
  );
  const stored = counterexampleOfEntry(entry, { crds, ...(project === null ? {} : { project }) });
  const isOwn =
    options.image === undefined &&
    (flags.command !== undefined || (flags.target === undefined && options.command !== undefined));
  return { stored, ...(isOwn && started !== null ? { command: started.command } : {}) };
}

/** Adds the target of the file if the user names none: the project's Deployment is found by the target's program. */
function withTarget(options: StalemateOptions, target: Counterexample['target']): StalemateOptions {
  if (options.target !== undefined || options.command !== undefined || options.image !== undefined) return options;
  return 'module' in target
    ? { ...options, target: target.module }
    : { ...options, command: target.command, directory: target.directory };
}
