/** Detects the CRDs of a project, and the best files or folders to list in its configuration. */
import { posix } from 'node:path';
import type { KubeObject } from 'stalemate-apiserver/objects/object';
import { mapOf, textOf } from 'stalemate-apiserver/objects/json';
import { installCrds } from '../../clusters/definitions.ts';
import { parseManifests } from '../../execution/project/manifest-files.ts';
import { crdsAmong } from '../../execution/project/manifests.ts';
import { HarnessError } from '../../model/errors.ts';
import { createServer } from '../embedded-server.ts';
import { ownGroups } from './own-groups.ts';
import { placeIn, type Repository } from './repository.ts';

export interface Definitions {
  readonly crds: readonly KubeObject[];
  /** Values for `crds` in the configuration: a folder with nothing else in it, or files. */
  readonly paths: readonly string[];
  /** CRDs of other projects, which the repository contains for development or tests. */
  readonly others: readonly KubeObject[];
  /** Files that could not be read, with the reason. */
  readonly notes: readonly string[];
}

/** The usual output folders of generators; files elsewhere are usually copies. */
const PLACES: readonly RegExp[] = [
  /(^|\/)config\/crd\/bases\//,
  /(^|\/)config\/crds?\//,
  /(^|\/)crds?\//,
  /(^|\/)(deploy|deployment|manifests|install|k8s|kubernetes|yaml)\//,
  /(^|\/)charts?\//,
];
/** Folders with CRDs of other projects, for tests. */
const FOREIGN = /(^|\/)(tests?|e2e|hack|examples?|fixtures?)\//i;

/** @param files - Default: those of the repository. The output of a build may be included. */
export function findDefinitions(repository: Repository, files: readonly string[] = repository.files): Definitions {
  const notes: string[] = [];
  const templates: Template[] = [];
  const unread: Template[] = [];
  const declared: Declared[] = [];
  const candidates = files.filter((file) => /\.(ya?ml|json)$/.test(file));
  for (const file of candidates.toSorted((a, b) => rank(a) - rank(b))) {
    const text = repository.text(file);
    if (!/kind["']?\s*:\s*["']?CustomResourceDefinition\b/.test(text)) continue;
    // Descriptions may also contain template braces, so a file that can be parsed is not a template.
    const crds = read(file, text, HELM_ACTION.test(text) ? templates : unread);
    declared.push(...crds.map((crd) => ({ crd, file })));
  }
  const byName = Map.groupBy(declared, ({ crd }) => crd.metadata.name ?? '');
  notes.push(...unreadText(newIn(unread, byName)), ...templatesText(newIn(templates, byName)));
  const own = ownGroups(repository);
  const all = [...byName.values()].flatMap((copies) => acceptedOf(copies, notes));
  const isOwn = ({ crd }: Declared): boolean => own.has(groupOf(crd));
  // If the project declares no group, or its groups are unknown, any of the CRDs may be its own.
  const found = all.some(isOwn) ? all.filter(isOwn) : all;
  const others = all.filter((one) => !found.includes(one));
  if (others.length > 0) notes.push(othersText(others));
  return {
    others: others.map(({ crd }) => crd),
    crds: found.map(({ crd }) => crd),
    paths: pathsOf([...new Set(found.map(({ file }) => file))], repository),
    notes,
  };
}

interface Declared {
  readonly crd: KubeObject;
  readonly file: string;
}

/** Returns the first copy that the API server accepts: some projects keep an invalid variant for documentation. */
function acceptedOf(copies: readonly Declared[], notes: string[]): readonly Declared[] {
  let refused = '';
  for (const copy of copies) {
    const problem = problemWith(copy.crd);
    if (problem === '') return [copy];
    if (refused === '') refused = `passed over: ${copy.file}: ${problem}`;
  }
  notes.push(refused);
  return [];
}

function problemWith(crd: KubeObject): string {
  try {
    installCrds(createServer(), [crd]);
    return '';
  } catch (error) {
    if (!(error instanceof HarnessError)) throw error;
    return error.message;
  }
}

function rank(file: string): number {
  return placeIn(PLACES, file) + (FOREIGN.test(file) ? 10 : 0);
}

/** A file that cannot be parsed, and the CRDs that it seems to contain. */
interface Template {
  readonly file: string;
  readonly names: readonly string[];
  /** Why the file cannot be parsed; absent for a Helm template. */
  readonly why?: string;
}

/**
 * Returns the templates that may contain a CRD that was not found elsewhere. Old versions, and copies for a chart, are not
 * worth a note.
 */
function newIn(unread: readonly Template[], known: ReadonlyMap<string, unknown>): readonly Template[] {
  return unread.filter(({ names }) => names.length === 0 || names.some((name) => !known.has(name)));
}

function unreadText(unread: readonly Template[]): readonly string[] {
  const [first] = unread;
  if (first === undefined) return [];
  const more = unread.length > 1 ? `; and ${unread.length - 1} more` : '';
  return [`passed over: ${first.why ?? `${first.file} holds no definition that can be read`}${more}`];
}

const HELM_ACTION = /\{\{[-\s]/;

function namesIn(text: string): readonly string[] {
  return [...text.matchAll(/^ {2}name:\s*["']?([a-z0-9-]+(?:\.[a-z0-9-]+)+)["']?\s*$/gm)].map(([, name = '']) => name);
}

function templatesText(templates: readonly Template[]): readonly string[] {
  const [first] = templates;
  if (first === undefined) return [];
  const more = templates.length > 1 ? ` and ${templates.length - 1} more are templates` : ' is a template';
  return [
    `${first.file}${more} of Helm: if CRDs are missing, render it ("helm template") and add the output to "crds"`,
  ];
}

function othersText(others: readonly { readonly crd: KubeObject; readonly file: string }[]): string {
  const groups = [...new Set(others.map(({ crd }) => groupOf(crd)))];
  const folders = [...new Set(others.map(({ file }) => posix.dirname(file)))];
  return `CRDs of ${groups.join(', ')} in ${folders.join(', ')} are passed over: no API package of this project declares these groups`;
}

/** Returns the API group of a CRD; empty if it has none. */
export function groupOf({ spec }: KubeObject): string {
  return textOf(mapOf(spec)['group']);
}

function read(file: string, text: string, unread: Template[]): readonly KubeObject[] {
  try {
    const { crds } = crdsAmong(parseManifests(text, file, true));
    // A file without named CRDs, such as the configuration of a kustomization, is not reported.
    if (crds.length === 0 && namesIn(text).length > 0) unread.push({ file, names: namesIn(text) });
    return crds;
  } catch (error) {
    unread.push({ file, names: namesIn(text), why: (error as Error).message });
    return [];
  }
}

/** Replaces files with their folder if the folder contains several CRDs and nothing else, so that future CRDs are included. */
function pathsOf(files: readonly string[], { files: all }: Repository): readonly string[] {
  const chosen = new Set(files);
  const paths = files.map((file) => {
    const folder = posix.dirname(file);
    const beside = all.filter(
      (other) =>
        posix.dirname(other) === folder && /\.(ya?ml|json)$/.test(other) && !/(^|\/)kustomization\.ya?ml$/.test(other),
    );
    const whole = folder !== '.' && beside.every((other) => chosen.has(other)) && /crd|bases/.test(folder);
    return whole ? folder : file;
  });
  return [...new Set(paths)];
}
