/**
 * Decides whether a stored file may start the target that it names. A file is data: another user may have written it.
 *
 * Owns: what counts as the user's own consent. Does not own: how the target is started (`library.ts`).
 */
import { existsSync, realpathSync } from 'node:fs';
import path from 'node:path';
import type { StalemateOptions } from '../execution/config/options.ts';
import { isSameTarget, targetFrom } from '../execution/search/counterexample.ts';
import type { CommandTarget, CounterexampleTarget, Network, StoredProgram } from '../model/counterexample.ts';
import { HarnessError } from '../model/errors.ts';
import { isWithin } from '../report/is-within.ts';
import { plain } from '../report/corpus-summary.ts';
import { redactConfigured } from '../report/redaction/index.ts';
import { Vault } from '../report/redaction/vault.ts';
import { usedNetwork } from './used-targets.ts';

/** The user's own settings, apart from the file. */
export interface UsersWord {
  /** The folder that paths in the file are relative to; paths outside are refused. */
  readonly folder: string;
  /** The configuration with absolute paths, and the flags that override it. */
  readonly options: {
    readonly [name in 'target' | 'command' | 'image' | 'directory' | 'network' | 'programs']?:
      | StalemateOptions[name]
      | undefined;
  };
  /** Whether the target in `options` comes from the command line: if so, no other target may be started. */
  readonly typed?: boolean;
  /** The target as in the file, with stand-ins for secrets, to show in a question. Absent if it contains no secrets. */
  readonly shown?: CounterexampleTarget;
  /** `--trust-file`. */
  readonly trusted: boolean;
  /** Asks the user; false without a terminal. */
  readonly ask: (question: string) => Promise<boolean>;
}

/** The target to start, and what it can reach: the file alone never decides that. */
export interface AllowedTarget {
  readonly target: CounterexampleTarget;
  readonly network: Network;
}

/**
 * @throws {TARGET_MISMATCH} for a file about a target other than the user's.
 * @throws {REFUSED} for a target that only the file names, or that is outside the folder.
 */
export async function allowedTarget(stored: CounterexampleTarget, user: UsersWord): Promise<AllowedTarget> {
  const { folder, options, trusted, shown = stored } = user;
  const { network } = options;
  const own = ownTarget(stored, user);
  if (own !== undefined) return { target: own, network: network ?? 'none' };
  // A missing module needs no consent: nothing starts, and a later error names the module.
  if ('module' in stored && !existsSync(path.resolve(folder, stored.module)))
    return { target: stored, network: 'none' };
  const before = usedNetwork(folder, stored);
  if (before !== undefined) return { target: stored, network: network ?? before };
  refuseOutside(stored, folder);
  if (!trusted && !(await user.ask(`${whatText(shown)}; start it? [y/N] `))) {
    throw new HarnessError(
      'REFUSED',
      `the file starts ${whatText(shown)}, which neither your configuration nor your command line names; name it yourself (${'module' in stored ? `--target ${plain(stored.module)}` : 'after --'}), or look at what it is and add --trust-file`,
    );
  }
  return { target: stored, network: network ?? 'none' };
}

/**
 * Returns the stored target with the settings of the user's configuration; undefined if the configuration names no target, or
 * the file is about a different one.
 */
function ownTarget(
  stored: CounterexampleTarget,
  { folder, options, typed = false, trusted, shown = stored }: UsersWord,
): CounterexampleTarget | undefined {
  const { target, image, directory = '.', programs = {} } = options;
  const command = image === undefined ? options.command : [image, ...(options.command ?? [])];
  if (target === undefined && command === undefined) return undefined;
  const own: CounterexampleTarget =
    target === undefined
      ? {
          command: command ?? [],
          directory: path.resolve(folder, directory),
          programs: Object.fromEntries(
            Object.entries(programs).map(([name, program]) => [
              name,
              { command: program.command, directory: path.resolve(folder, program.directory ?? '.') },
            ]),
          ),
        }
      : { module: path.resolve(folder, target), transport: 'http-library' };
  if (isSameTarget(targetFrom(own, folder, folder), targetFrom(stored, folder, folder))) {
    if (!('command' in own && 'command' in stored)) return stored;
    // The current arguments override the stored ones.
    if ((stored.inCluster === true) === (image !== undefined)) {
      const { programs: kept } = stored;
      return {
        ...stored,
        command: own.command,
        ...(kept === undefined ? {} : { programs: withCurrentCommands(kept, own.programs) }),
      };
    }
  }
  if (trusted || (!typed && usedNetwork(folder, stored) !== undefined)) return undefined;
  throw new HarnessError(
    'TARGET_MISMATCH',
    `the file is about ${whatText(shown)}, got ${whatText(redactConfigured(own, {}, new Vault()))}; name the target that it is about, or add --trust-file to start what the file names`,
  );
}

/** Returns the stored programs with their current commands. */
function withCurrentCommands(stored: StoredPrograms, own: StoredPrograms = {}): StoredPrograms {
  return Object.fromEntries(
    Object.entries(stored).map(([name, program]) => [
      name,
      { ...program, command: own[name]?.command ?? program.command },
    ]),
  );
}

type StoredPrograms = NonNullable<CommandTarget['programs']>;

/** Refuses a path outside of the folder, including one that leaves it by a symbolic link. */
function refuseOutside(stored: CounterexampleTarget, folder: string): void {
  if ('module' in stored) return refusePlace('module', stored.module, folder);
  for (const { directory } of [stored, ...Object.values(stored.programs ?? {})])
    refusePlace('directory', directory, folder);
}

function refusePlace(what: 'module' | 'directory', name: string, folder: string): void {
  const place = path.resolve(folder, name);
  if (isWithin(existsSync(place) ? realpathSync(place) : place, realpathSync(folder))) return;
  throw new HarnessError(
    'REFUSED',
    `the file names the ${what} "${plain(name)}", expected one inside the folder it is replayed in; name the target yourself if you mean that one`,
  );
}

/** Describes a target, such as `module "controller.ts"` or `command "./manager --debug" in "."`. */
function whatText(target: CounterexampleTarget): string {
  if ('module' in target) return `module "${plain(target.module)}"`;
  const { programs = {} } = target;
  return [
    `${target.inCluster === true ? 'image' : 'command'} ${programText(target)}`,
    ...Object.entries(programs).map(([name, program]) => `program "${plain(name)}" ${programText(program)}`),
  ].join(', ');
}

function programText({ command, directory }: StoredProgram): string {
  return `"${plain(command.join(' '))}" in "${plain(directory)}"`;
}
