/** Combines what was detected with flags and the user's answers into the options of the new configuration. */
import type { KubeObject } from 'stalemate-apiserver/objects/object';
import { basename, normalize, resolve } from 'node:path';
import type { StalemateOptions } from '../../execution/config/options.ts';
import type { Project } from '../../execution/project/load.ts';
import { loadCrds } from '../../execution/project/manifests.ts';
import { asksWebhooks } from '../../execution/project/webhooks.ts';
import { HarnessError } from '../../model/errors.ts';
import { given } from '../../model/given.ts';
import type { Console } from '../console.ts';
import { findDefinitions } from './definitions.ts';
import { SAMPLE_FILE } from './plan.ts';
import { deployedIn, deployments, entrypointsIn, withArguments, withMounted, type Deployed } from './deployed.ts';
import { pythonOf } from './prepare.ts';
import { askCommand } from '../questions.ts';
import type { Program } from './programs/program.ts';
import { readRepository, type Repository } from './repository.ts';
import { findSamples } from './samples.ts';
import { findShipped, type FoundShipped } from './shipped.ts';
import { survey, type CiKind, type Survey } from './survey.ts';

export interface InitFlags {
  readonly command?: readonly string[];
  readonly target?: string;
  readonly crds?: readonly string[];
  readonly sample?: readonly string[];
  readonly ci?: CiKind;
  readonly budget?: string;
  readonly seed?: number;
  readonly run?: boolean;
  readonly dryRun?: boolean;
  readonly force?: boolean;
  readonly yes?: boolean;
}

export interface Choice {
  readonly repository: Repository;
  readonly found: Survey;
  readonly options: StalemateOptions;
  /** Whether the user has given the whole command, which is started as it is. */
  readonly isGiven: boolean;
  /** The project's rendered manifests, to be written if its own files cannot be installed as they are. */
  readonly rendered?: string;
}

/**
 * @param built - The output folder of a build, which is searched in addition to the repository.
 * @throws {CONFIG_INVALID} if there is nothing to start.
 */
export async function choose(
  repository: Repository,
  asked: InitFlags,
  console: Console,
  built?: string,
): Promise<Choice> {
  const { cwd, called } = console;
  const found = withDefinitions(
    surveyFor(asked.command, repository, (module) => pythonOf(cwd, module)),
    repository,
    asked,
    cwd,
    built,
  );
  const flags = withoutName(asked, found);
  const { program, definitions, samples } = found;
  if (
    program === undefined &&
    definitions.crds.length === 0 &&
    flags.command === undefined &&
    flags.target === undefined
  )
    throw new HarnessError(
      'CONFIG_INVALID',
      `found neither CRDs nor a controller in "${cwd}" (Go, TypeScript, Python, Rust with kube-rs, Java with the Operator SDK), expected the root of a controller's repository; change there, or name both: ${called} init --crds PATH -- COMMAND ARGS`,
    );
  const target = flags.target ?? (flags.command === undefined ? program?.target : undefined);
  const guessed = program?.command ?? [];
  const command =
    target === undefined
      ? (flags.command ?? (guessed.length > 0 ? guessed : await askCommand(flags.yes === true)))
      : undefined;
  if (target === undefined && command === undefined)
    throw new HarnessError(
      'CONFIG_INVALID',
      `could not find out how the controller is started${program === undefined ? '' : ` (${program.notes.join('; ')})`}, expected its command; name it: ${called} init -- COMMAND ARGS`,
    );
  const own = flags.command === undefined ? program : undefined;
  const { shipped, note }: FoundShipped =
    command === undefined
      ? {}
      : await findShipped({
          ...{ repository, program: command[0] ?? '', names: own?.names ?? [], crds: definitions.crds },
          ...{ flags, console },
        });
  const deployed = own?.names === undefined ? undefined : deployedFor(own.names, shipped?.project.objects, repository);
  const env = {
    // With manifests, a process already gets the environment variables of its Deployment.
    ...(shipped === undefined ? deployed?.env : {}),
    ...electionOff(deployed?.env ?? {}),
    ...own?.env,
    ...(shipped !== undefined && hasWebhooks(shipped.project) ? {} : own?.withoutWebhooks),
  };
  const chosen = flags.sample ?? (samples.files.length > 0 ? samples.files : samples.drawn === '' ? [] : [SAMPLE_FILE]);
  return {
    repository,
    isGiven: flags.command !== undefined,
    found: note === undefined ? found : withNote(found, note),
    ...(shipped?.rendered === undefined ? {} : { rendered: shipped.rendered }),
    options: {
      ...(target === undefined ? {} : { target }),
      ...(command === undefined
        ? {}
        : {
            command:
              deployed === undefined ? command : asDeployed(command, deployed, own, shipped !== undefined, repository),
          }),
      ...(Object.keys(env).length === 0 ? {} : { env }),
      ...(own?.metrics === undefined ? {} : { metrics: own.metrics }),
      ...(own?.readyWithinMs === undefined ? {} : { readyWithinMs: own.readyWithinMs }),
      ...(shipped === undefined ? {} : { manifests: shipped.paths }),
      crds: definitions.paths,
      samples: chosen,
      budget: '60s',
    },
  };
}

/** Surveys a project. If the user names another program than the detected one, leaves out how the detected one is built. */
function surveyFor(
  command: readonly string[] | undefined,
  repository: Repository,
  pythonFor: (module: string) => string,
): Survey {
  const [named] = command ?? [];
  if (named === undefined) return survey(repository, pythonFor);
  const found = survey(repository, pythonFor, basename(named));
  if (found.program === undefined) return found;
  const { build, others, ...program } = found.program;
  const isAnother = others !== undefined && basename(program.command[0] ?? '') !== basename(named);
  return {
    ...found,
    program: { ...program, ...(isAnother ? { ignored: [] } : given({ build })), notes: [] },
  };
}

/** Drops the command if it only names a program that `init` can build and start, so that its arguments are detected. */
function withoutName(flags: InitFlags, { program }: Survey): InitFlags {
  const [named = '', ...args] = flags.command ?? [];
  const isName = args.length === 0 && program?.build !== undefined && program.command[0] === normalize(named);
  if (!isName) return flags;
  const { command: _, ...others } = flags;
  return others;
}

function withNote(found: Survey, note: string): Survey {
  return { ...found, definitions: { ...found.definitions, notes: [...found.definitions.notes, note] } };
}

/** @param isInstalled - Whether the manifests are installed; if so, the files that the Deployment mounts exist. */
function asDeployed(
  command: readonly string[],
  deployed: Deployed,
  program: Program | undefined,
  isInstalled: boolean,
  repository: Repository,
): readonly string[] {
  // The subcommand of a Go program may have been taken from any workload of the repository.
  const entrypoints = program?.setUp === 'go' ? entrypointsIn(repository) : undefined;
  const given = withArguments(command, deployed, isInstalled, entrypoints);
  return isInstalled ? withMounted(given, deployed, program?.pathFlags ?? {}) : given;
}

/** Returns variables that switch leader election off, which the Deployment switches on. */
function electionOff(env: Deployed['env']): Deployed['env'] {
  const on = Object.entries(env).filter(
    ([name, value]) => /LEADER_?ELECT/i.test(name) && !/DISABLE|SKIP|(?:^|_)NO_/i.test(name) && /^true$/i.test(value),
  );
  return Object.fromEntries(on.map(([name]) => [name, 'false']));
}

/** Returns how the controller is deployed. If no manifests are installed, a Deployment in the repository still shows how it is started. */
function deployedFor(
  names: readonly string[],
  shipped: readonly KubeObject[] | undefined,
  repository: Repository,
): Deployed | undefined {
  return deployedIn(shipped ?? deployments(repository), names);
}

/** Reports whether the project ships webhooks: calls to them would fail if the controller's webhooks were switched off. */
function hasWebhooks({ crds, objects }: Project): boolean {
  return asksWebhooks([...crds, ...objects]);
}

/** Replaces the CRDs of the repository with those that a flag names or a build has made. */
function withDefinitions(
  found: Survey,
  repository: Repository,
  flags: InitFlags,
  cwd: string,
  built: string | undefined,
): Survey {
  if (flags.crds !== undefined) {
    const crds = loadCrds(flags.crds.map((path) => resolve(cwd, path)));
    return {
      ...found,
      definitions: { crds, paths: flags.crds, others: [], notes: [] },
      samples: findSamples(repository, crds),
    };
  }
  if (built === undefined) return found;
  const beside = readRepository(resolve(cwd, built));
  const made = findDefinitions(beside);
  const definitions = { ...made, paths: made.paths.map((path) => `${built}/${path}`) };
  return { ...found, definitions, samples: findSamples(repository, made.crds) };
}
