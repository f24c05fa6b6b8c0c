/**
 * Finds manifests of a project that can be installed as they are: the main kustomization, a kustomization without its remote
 * bases, plain manifests, or a chart, in this order.
 *
 * Start at {@link findShipped}.
 */
import { resolve } from 'node:path';
import type { KubeObject } from 'stalemate-apiserver/objects/object';
import { loadProject, type Project } from '../../execution/project/load.ts';
import { parseManifests } from '../../execution/project/manifest-files.ts';
import { crdsAmong } from '../../execution/project/manifests.ts';
import type { Console } from '../console.ts';
import { consented } from '../questions.ts';
import { chartsIn, renderedChart } from './charts.ts';
import { buildHelm, canBuildHelm, findHelm, HELM } from './helm.ts';
import { isInstallable } from './installable.ts';
import { isController } from './deployed.ts';
import { isPart, overlays } from './kustomizations.ts';
import { plainManifests } from './plain-manifests.ts';
import { MANIFESTS_FILE } from './plan.ts';
import { canRender } from './prepare.ts';
import { renderLocally } from './render-local.ts';
import type { Repository } from './repository.ts';

export interface Shipped {
  readonly project: Project;
  /** Values for `manifests` in the configuration. */
  readonly paths: readonly string[];
  /** The text to write to {@link MANIFESTS_FILE}; absent if the files exist. */
  readonly rendered?: string;
}

export interface Looking {
  readonly repository: Repository;
  /** The target's program, which identifies the target among several workloads. */
  readonly program: string;
  /** Possible names of the program and its image. */
  readonly names: readonly string[];
  /** CRDs that the project has elsewhere. */
  readonly crds: readonly KubeObject[];
  readonly flags: { readonly yes?: boolean; readonly dryRun?: boolean };
  readonly console: Console;
}

/** The result, and a note for the user; neither if nothing was found. */
export interface FoundShipped {
  readonly shipped?: Shipped;
  readonly note?: string;
}

/** Maximum number of attempts, because each rendering takes a moment. */
const RENDERED_MAX = 6;

export async function findShipped(search: Looking): Promise<FoundShipped> {
  return (
    firstInstallable(overlaysOf(search, false), search) ??
    withoutRemoteOf(search) ??
    // A single folder may hold the whole project, or only its dashboard.
    firstInstallable(overlaysOf(search, true), search, search.names) ??
    firstInstallable(plainManifests(search.repository, search.names).slice(0, RENDERED_MAX), search) ??
    (await chartOf(search)) ??
    {}
  );
}

/** Yields kustomizations that can be rendered without the network; each is rendered only when it is needed. */
function* overlaysOf({ repository, console }: Looking, parts: boolean): Generator<readonly string[]> {
  const found = overlays(repository).filter((overlay) => isPart(overlay) === parts);
  for (const { folder, usual } of found.slice(0, RENDERED_MAX))
    if (canRender(folder, console.cwd, !usual)) yield [folder];
}

/** Returns the first paths that can be installed, and, with `names`, contain the workload of the controller. */
function firstInstallable(
  candidates: Iterable<readonly string[]>,
  search: Looking,
  names?: readonly string[],
): FoundShipped | undefined {
  for (const paths of candidates) {
    const project = loadProject(paths.map((path) => resolve(search.console.cwd, path)));
    if (names !== undefined && !project.objects.some((object) => isController(object, names))) continue;
    if (isInstallable(project, search.program)) return { shipped: { project, paths } };
  }
  return undefined;
}

/** Renders the first overlay with remote bases that can be rendered without them. */
function withoutRemoteOf({ repository }: Looking): FoundShipped | undefined {
  for (const { folder } of overlays(repository, true)
    .filter((overlay) => !isPart(overlay))
    .slice(0, RENDERED_MAX)) {
    const text = renderLocally(repository, folder);
    if (text === undefined) continue;
    const note = `${folder} names bases outside of the project: it is rendered without them to ${MANIFESTS_FILE}`;
    return { shipped: renderedAs(text), note };
  }
  return undefined;
}

/** Returns the first chart whose output can be installed. Builds Helm if it is missing and the user agrees. */
async function chartOf({ repository, program, crds, flags, console }: Looking): Promise<FoundShipped | undefined> {
  const charts = chartsIn(repository).slice(0, RENDERED_MAX);
  const [first] = charts;
  if (first === undefined) return undefined;
  const helm = findHelm() ?? ((await mayBuildHelm(flags)) ? buildHelm(console.err) : undefined);
  if (helm === undefined)
    return { note: `the chart ${first} is not rendered: there is no helm; --yes agrees to building ${HELM}` };
  const known = new Set(crds.map(({ metadata }) => metadata.name ?? ''));
  for (const folder of charts) {
    const text = renderedChart(helm, folder, { cwd: console.cwd, known });
    const shipped = text === undefined ? undefined : renderedAs(text);
    if (shipped !== undefined && isInstallable(shipped.project, program))
      return { shipped, note: `the chart ${folder} is rendered with its default values to ${MANIFESTS_FILE}` };
  }
  return undefined;
}

async function mayBuildHelm({ yes, dryRun }: Looking['flags']): Promise<boolean> {
  if (dryRun === true || !canBuildHelm()) return false;
  return yes === true || (await consented(`Build ${HELM} from the Go module proxy, to render a chart? [y/N] `));
}

function renderedAs(text: string): Shipped {
  const { crds, rest } = crdsAmong(parseManifests(text, MANIFESTS_FILE, true));
  const project = { crds, objects: rest.map(({ object }) => object), warnings: [] };
  return { project, paths: [MANIFESTS_FILE], rendered: text };
}
