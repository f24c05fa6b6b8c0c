/** What is found, with what flags say instead and a person answers: the options of the configuration to be. */
import type { StalemateOptions } from '../../execution/config/options.ts';
import { loadProject, type Project } from '../../execution/project/load.ts';
import { parseManifests, type Manifest } from '../../execution/project/manifest-files.ts';
import { crdsAmong, loadCrds } from '../../execution/project/manifests.ts';
import { asksWebhooks } from '../../execution/project/webhooks.ts';
import { HarnessError } from '../../model/errors.ts';
import type { KubeObject } from '../../model/object.ts';
import type { Console } from '../console.ts';
import { findDefinitions } from './definitions.ts';
import { isInstallable } from './installable.ts';
import { MANIFESTS_FILE, SAMPLE_FILE } from './plan.ts';
import { renderLocally } from './render-local.ts';
import { deployedIn, deployments, withArguments, withMounted, type Deployed } from './deployed.ts';
import { overlays } from './kustomizations.ts';
import { plainManifests } from './plain-manifests.ts';
import { canRender, pythonOf } from './prepare.ts';
import { askCommand, consented } from '../questions.ts';
import { chartsIn, renderedChart } from './charts.ts';
import { buildHelm, canBuildHelm, findHelm, HELM } from './helm.ts';
import type { Program } from './programs/program.ts';
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
  /** What the project ships, to be written: its overlay leads out of the project, and is rendered without that. */
  readonly rendered?: string;
}

/**
 * @param built a folder that a build has filled, which is looked into beside the repository.
 * @throws {CONFIG_INVALID} where there is nothing to start.
 */
export async function choose(
  repository: Repository,
  flags: InitFlags,
  console: Console,
  built?: string,
): Promise<Choice> {
  const { cwd, called } = console;
  const found = withDefinitions(
    survey(repository, (module) => pythonOf(cwd, module)),
    repository,
    flags,
    cwd,
    built,
  );
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
  const overlay = command === undefined ? undefined : overlayOf(repository, cwd, command[0] ?? '');
  // What cannot be rendered and installed would stop every run; it is offered behind a #.
  const manifests = overlay ?? found.manifests;
  const partly = overlay === undefined && command !== undefined ? renderedWithoutRemote(repository) : undefined;
  const plain =
    overlay === undefined && partly === undefined && command !== undefined
      ? plainOf(repository, cwd, command[0] ?? '', own?.names ?? [])
      : undefined;
  const installed = overlay === undefined ? plain : [overlay];
  const chart =
    installed === undefined && partly === undefined && command !== undefined
      ? await chartOf(repository, command[0] ?? '', definitions.crds, flags, console)
      : undefined;
  const rendered = partly ?? chart;
  const shipped =
    installed !== undefined
      ? loadProject(installed.map((path) => resolve(cwd, path)))
      : rendered?.text === undefined
        ? undefined
        : projectOf(parseManifests(rendered.text, MANIFESTS_FILE, true));
  const deployed = own?.names === undefined ? undefined : deployedFor(own.names, shipped?.objects, repository);
  const env = {
    // With manifests, a process gets the environment of its Deployment from there.
    ...(shipped === undefined ? deployed?.env : {}),
    ...own?.env,
    ...(shipped !== undefined && hasWebhooks(shipped) ? {} : own?.withoutWebhooks),
  };
  const chosen = flags.sample ?? (samples.files.length > 0 ? samples.files : samples.drawn === '' ? [] : [SAMPLE_FILE]);
  return {
    repository,
    found: rendered === undefined ? found : withNote(found, rendered.note),
    manifests,
    ...(rendered?.text === undefined ? {} : { rendered: rendered.text }),
    options: {
      ...(target === undefined ? {} : { target }),
      ...(command === undefined
        ? {}
        : { command: deployed === undefined ? command : asDeployed(command, deployed, own, shipped !== undefined) }),
      ...(Object.keys(env).length === 0 ? {} : { env }),
      ...(own?.metrics === undefined ? {} : { metrics: own.metrics }),
      ...(own?.readyWithinMs === undefined ? {} : { readyWithinMs: own.readyWithinMs }),
      ...(shipped === undefined ? {} : { manifests: installed ?? [MANIFESTS_FILE] }),
      crds: definitions.paths,
      samples: chosen,
      budget: '60s',
    },
  };
}

/** Rendering takes a moment each. */
const RENDERED_MAX = 6;

/** The likeliest kustomization that can be rendered here, without the network, to something that can be installed as it is. */
function overlayOf(repository: Repository, cwd: string, program: string): string | undefined {
  return overlays(repository)
    .slice(0, RENDERED_MAX)
    .find(
      ({ folder, usual }) =>
        canRender(folder, cwd, !usual) && isInstallable(loadProject([resolve(cwd, folder)]), program),
    )?.folder;
}

/** The first plain manifests that can be installed as they are. */
function plainOf(
  repository: Repository,
  cwd: string,
  program: string,
  names: readonly string[],
): readonly string[] | undefined {
  return plainManifests(repository, names)
    .slice(0, RENDERED_MAX)
    .find((files) => isInstallable(loadProject(files.map((file) => resolve(cwd, file))), program));
}

/** The likeliest overlay that leads out of the project, without what lies there. */
function renderedWithoutRemote(repository: Repository): Rendered | undefined {
  for (const { folder } of overlays(repository, true).slice(0, RENDERED_MAX)) {
    const text = renderLocally(repository, folder);
    if (text !== undefined)
      return {
        text,
        note: `${folder} names bases outside of the project: it is rendered without them to ${MANIFESTS_FILE}`,
      };
  }
  return undefined;
}

/** What is written to a file of ours. */
interface Rendered {
  /** Absent where it could not be rendered. */
  readonly text?: string;
  readonly note: string;
}

/** The first chart that renders to something that can be installed as it is. Helm is built where it is not there, if that is agreed to. */
async function chartOf(
  repository: Repository,
  program: string,
  crds: readonly KubeObject[],
  flags: InitFlags,
  { cwd, err }: Console,
): Promise<Rendered | undefined> {
  const charts = chartsIn(repository).slice(0, RENDERED_MAX);
  const [first] = charts;
  if (first === undefined) return undefined;
  const helm = findHelm() ?? ((await mayBuildHelm(flags)) ? buildHelm(err) : undefined);
  if (helm === undefined)
    return { note: `the chart ${first} is not rendered: there is no helm; --yes agrees to building ${HELM}` };
  const known = new Set(crds.map(({ metadata }) => metadata.name ?? ''));
  for (const folder of charts) {
    const text = renderedChart(helm, folder, { cwd, known });
    if (text !== undefined && isInstallable(projectOf(parseManifests(text, MANIFESTS_FILE, true)), program))
      return { text, note: `the chart ${folder} is rendered with its default values to ${MANIFESTS_FILE}` };
  }
  return undefined;
}

async function mayBuildHelm(flags: InitFlags): Promise<boolean> {
  if (flags.dryRun === true || !canBuildHelm()) return false;
  return flags.yes === true || (await consented(`Build ${HELM} from the Go module proxy, to render a chart? [y/N] `));
}

function projectOf(manifests: readonly Manifest[]): Project {
  const { crds, rest } = crdsAmong(manifests);
  return { crds, objects: rest.map(({ object }) => object), warnings: [] };
}

function withNote(found: Survey, note: string): Survey {
  return { ...found, definitions: { ...found.definitions, notes: [...found.definitions.notes, note] } };
}

/** @param isInstalled the manifests are: they bring the files that the Deployment mounts. */
function asDeployed(
  command: readonly string[],
  deployed: Deployed,
  program: Program | undefined,
  isInstalled: boolean,
): readonly string[] {
  const given = withArguments(command, deployed, isInstalled);
  return isInstalled ? withMounted(given, deployed, program?.pathFlags ?? {}) : given;
}

/** Where nothing is installed, a Deployment among the files still says how the controller is started. */
function deployedFor(
  names: readonly string[],
  shipped: readonly KubeObject[] | undefined,
  repository: Repository,
): Deployed | undefined {
  return deployedIn(shipped ?? deployments(repository), names);
}

/** Whether webhooks are among what the project ships: whoever asks them would get no answer where they are switched off. */
function hasWebhooks({ crds, objects }: Project): boolean {
  return asksWebhooks([...crds, ...objects]);
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
