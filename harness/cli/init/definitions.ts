/** Which CRDs a project has, and which files or folders name them best. */
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
  /** For `crds` of the configuration: a folder that holds nothing else, or files. */
  readonly paths: readonly string[];
  /** Definitions of other projects, which lie here for development or tests. */
  readonly others: readonly KubeObject[];
  /** What could not be read, and why. */
  readonly notes: readonly string[];
}

/** Where generators put them; what is elsewhere is a copy more often than not. */
const PLACES: readonly RegExp[] = [
  /(^|\/)config\/crd\/bases\//,
  /(^|\/)config\/crds?\//,
  /(^|\/)crds?\//,
  /(^|\/)(deploy|deployment|manifests|install|k8s|kubernetes|yaml)\//,
  /(^|\/)charts?\//,
];
/** Definitions of others, which tests need. */
const FOREIGN = /(^|\/)(tests?|e2e|hack|examples?|fixtures?)\//i;

/** @param files by default those of the repository: what a build makes may be looked at beside them. */
export function findDefinitions(repository: Repository, files: readonly string[] = repository.files): Definitions {
  const notes: string[] = [];
  const templates: Template[] = [];
  const unread: Template[] = [];
  const declared: Declared[] = [];
  const candidates = files.filter((file) => /\.(ya?ml|json)$/.test(file));
  for (const file of candidates.toSorted((a, b) => rank(a) - rank(b))) {
    const text = repository.text(file);
    if (!/kind["']?\s*:\s*["']?CustomResourceDefinition\b/.test(text)) continue;
    // Descriptions may have the braces of a template as well: what can be read is none.
    const crds = read(file, text, HELM_ACTION.test(text) ? templates : unread);
    declared.push(...crds.map((crd) => ({ crd, file })));
  }
  const byName = Map.groupBy(declared, ({ crd }) => crd.metadata.name ?? '');
  notes.push(...unreadText(newIn(unread, byName)), ...templatesText(newIn(templates, byName)));
  const own = ownGroups(repository);
  const all = [...byName.values()].flatMap((copies) => takenOf(copies, notes));
  const isOwn = ({ crd }: Declared): boolean => own.has(groupOf(crd));
  // A project without types of its own, or whose types are unknown, may be about any of them.
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

/** The first of several that the API server takes: some projects keep a variant for documentation that none takes. */
function takenOf(copies: readonly Declared[], notes: string[]): readonly Declared[] {
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

/** A file that cannot be read here, and the definitions that it seems to hold. */
interface Template {
  readonly file: string;
  readonly names: readonly string[];
  /** Why, where it is no template of Helm. */
  readonly why?: string;
}

/** Those that may hold something that was not found elsewhere: old versions, and copies for a chart, are not worth a line each. */
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

/** The API group that a definition declares a kind of; empty where it names none. */
export function groupOf({ spec }: KubeObject): string {
  return textOf(mapOf(spec)['group']);
}

function read(file: string, text: string, unread: Template[]): readonly KubeObject[] {
  try {
    const { crds } = crdsAmong(parseManifests(text, file, true));
    // Of a file that declares nothing by name, a kustomization's configuration, nothing is lost.
    if (crds.length === 0 && namesIn(text).length > 0) unread.push({ file, names: namesIn(text) });
    return crds;
  } catch (error) {
    unread.push({ file, names: namesIn(text), why: (error as Error).message });
    return [];
  }
}

/** A folder that holds several and nothing but definitions is named instead of them, also for those to come. */
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
