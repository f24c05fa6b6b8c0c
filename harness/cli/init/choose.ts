/** What is found, with what flags say instead and a person answers: the options of the configuration to be. */
import type { StalemateOptions } from '../../execution/config/options.ts';
import { loadCrds } from '../../execution/project/manifests.ts';
import { HarnessError } from '../../model/errors.ts';
import type { Console } from '../console.ts';
import { findDefinitions } from './definitions.ts';
import { SAMPLE_FILE } from './plan.ts';
import { namesRemoteBase } from './kustomizations.ts';
import { canRender, pythonOf } from './prepare.ts';
import { askCommand } from '../questions.ts';
import { readRepository, type Repository } from './repository.ts';
import { findSamples } from './samples.ts';
import { survey, type CiKind, type Survey } from './survey.ts';
import { resolve } from 'node:path';

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
  /** A kustomization of what the project ships. */
  readonly manifests: string | undefined;
}

/**
 * @param built a folder that a build has filled, which is looked into beside the repository.
 * @throws {CONFIG_INVALID} where there is nothing to start.
 */
export async function choose(
  repository: Repository,
  flags: InitFlags,
  { cwd, called }: Console,
  built?: string,
): Promise<Choice> {
  const found = withDefinitions(
    survey(repository, (module) => pythonOf(cwd, module)),
    repository,
    flags,
    cwd,
    built,
  );
  const { program, definitions, samples, manifests } = found;
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
      `could not tell how the controller is started${program === undefined ? '' : ` (${program.notes.join('; ')})`}, expected its command; name it: ${called} init -- COMMAND ARGS`,
    );
  const own = flags.command === undefined ? program : undefined;
  // What cannot be rendered to one Deployment would stop every run; it is offered behind a #.
  const rendered =
    command !== undefined && manifests !== undefined && !namesRemoteBase(repository) && canRender(manifests, cwd);
  const chosen = flags.sample ?? (samples.files.length > 0 ? samples.files : samples.drawn === '' ? [] : [SAMPLE_FILE]);
  return {
    repository,
    found,
    manifests,
    options: {
      ...(target === undefined ? {} : { target }),
      ...(command === undefined ? {} : { command }),
      ...(own?.env === undefined ? {} : { env: own.env }),
      ...(own?.metrics === undefined ? {} : { metrics: own.metrics }),
      ...(own?.readyWithinMs === undefined ? {} : { readyWithinMs: own.readyWithinMs }),
      ...(rendered && manifests !== undefined ? { manifests: [manifests] } : {}),
      crds: definitions.paths,
      samples: chosen,
      budget: '60s',
    },
  };
}

/** Those that are named, or that a build has made, in the place of those that lie in the repository. */
function withDefinitions(
  found: Survey,
  repository: Repository,
  flags: InitFlags,
  cwd: string,
  built: string | undefined,
): Survey {
  if (flags.crds !== undefined) {
    const crds = loadCrds(flags.crds.map((path) => resolve(cwd, path)));
    return { ...found, definitions: { crds, paths: flags.crds, notes: [] }, samples: findSamples(repository, crds) };
  }
  if (built === undefined) return found;
  const beside = readRepository(resolve(cwd, built));
  const made = findDefinitions(beside);
  const definitions = { ...made, paths: made.paths.map((path) => `${built}/${path}`) };
  return { ...found, definitions, samples: findSamples(repository, made.crds) };
}
