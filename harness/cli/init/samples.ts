/**
 * Chooses the objects that a run starts from: samples of the project that the API server accepts, or objects drawn from the
 * schema if there are none.
 */
import { posix } from 'node:path';
import { stringify } from 'yaml';
import { isRecord, mapOf, textOf } from 'stalemate-apiserver/objects/json';
import { apiVersionOf, type KubeObject } from 'stalemate-apiserver/objects/object';
import { collectionPath } from 'stalemate-apiserver/wire/path';
import { installCrds } from '../../clusters/definitions.ts';
import { createAtOnce } from '../../execution/project/install.ts';
import { withoutConversionWebhooks } from '../../execution/project/manifests.ts';
import { createServer } from '../embedded-server.ts';
import { drawSample } from './draw-sample.ts';
import { objectsIn } from './objects-in.ts';
import { groupOf } from './definitions.ts';
import { filledIn } from './placeholders.ts';
import { placeIn, type Repository } from './repository.ts';

export interface Samples {
  /** Files of the project, as values for `samples` in the configuration. */
  readonly files: readonly string[];
  /** The text of a sample file to write, if the project has no usable sample; empty otherwise. */
  readonly drawn: string;
  /** Kinds of the drawn objects. */
  readonly drawnKinds: readonly string[];
  readonly notes: readonly string[];
}

/**
 * Maximum number of kinds: with more, a run depends more on the machine than on the controller. The rest are listed for the
 * user to add.
 */
const KINDS_MAX = 3;

const PLACES: readonly RegExp[] = [
  /(^|\/)config\/samples?\//,
  /(^|\/)samples?\//,
  /(^|\/)examples?\//,
  /(^|\/)templates\//,
  /(^|\/)(deploy|docs?|manifests)\//,
];
const TESTS = /(^|\/)(tests?|e2e[\w-]*|hack|fixtures?)\//i;

/** Objects of one file that a run could start from. */
export interface Candidate {
  readonly file: string;
  /** The objects that the API server accepts. */
  readonly objects: readonly KubeObject[];
  /** Whether the file contains nothing else, so that the configuration can list it. */
  readonly whole: boolean;
  /** The project's kinds among its objects. */
  readonly kinds: readonly string[];
  /** Namespaces into which objects were moved because the target requests them there. */
  readonly movedTo?: readonly string[];
  /** The owners that were added to objects, as texts for the printed name. */
  readonly ownedBy?: readonly string[];
}

/** Returns all files with valid objects of the project's kinds: the first of each kind first, then the rest. */
export function sampleCandidates(repository: Repository, crds: readonly KubeObject[]): readonly Candidate[] {
  const server = serverWith(crds);
  const known = new Set<string>(crds.map(kindOf));
  const candidateOf = (file: string, text: string): Candidate | undefined => {
    const objects = objectsIn(file, text);
    const taken = objects.filter(
      (object) => object.kind !== 'CustomResourceDefinition' && problemWith(server, object) === '',
    );
    const kinds = [...new Set(taken.map(({ kind }) => kind).filter((kind) => known.has(kind)))];
    return kinds.length === 0 ? undefined : { file, objects: taken, whole: taken.length === objects.length, kinds };
  };
  const all = candidates(repository, crds).flatMap((file): readonly Candidate[] => {
    const text = repository.text(file);
    const asIs = candidateOf(file, text);
    if (asIs !== undefined) return [asIs];
    const filled = filledIn(text);
    const made = filled === undefined ? undefined : candidateOf(file, filled);
    return made === undefined ? [] : [{ ...made, whole: false }];
  });
  const seen = new Set<string>();
  const isFirst = all.map(({ kinds }) => {
    const isNew = kinds.some((kind) => !seen.has(kind));
    for (const kind of kinds) seen.add(kind);
    return isNew;
  });
  return [...all.filter((_, at) => isFirst[at]), ...all.filter((_, at) => !isFirst[at])];
}

/** Draws one object of each CRD from its schema, if the API server accepts it. */
export function drawnCandidates(crds: readonly KubeObject[]): readonly KubeObject[] {
  const server = serverWith(crds);
  return crds.map(drawSample).filter((object) => problemWith(server, object) === '');
}

/** Returns objects in the repository with a kind and name, those nearest to the usual place of samples first. */
export function objectsNamed({ files, text }: Repository, kind: string, name: string): readonly KubeObject[] {
  const named = new RegExp(`^\\s*name:\\s*["']?${escaped(name)}["']?\\s*$`, 'm');
  return files
    .filter((file) => /\.ya?ml$/.test(file) && named.test(text(file)))
    .toSorted((a, b) => rank(a) - rank(b))
    .flatMap((file) => objectsIn(file, text(file)))
    .filter((object) => object.kind === kind && object.metadata.name === name);
}

export function findSamples(repository: Repository, crds: readonly KubeObject[]): Samples {
  const server = serverWith(crds);
  const notes: string[] = [];
  const byKind = new Map<string, string>();
  const refused = new Map<string, string>();
  const known = new Set<string>(crds.map(kindOf));
  for (const file of candidates(repository, crds)) {
    const objects = objectsIn(file, repository.text(file));
    if (objects.length === 0) continue;
    const kinds = objects.map(({ kind }) => kind).filter((kind) => known.has(kind));
    if (kinds.every((kind) => byKind.has(kind))) continue;
    const problem = objects.map((object) => problemWith(server, object)).find((one) => one !== '');
    if (problem === undefined) for (const kind of kinds) byKind.set(kind, byKind.get(kind) ?? file);
    else for (const kind of kinds) if (!refused.has(kind)) refused.set(kind, `${file}: ${problem}`);
  }
  const files = [...new Set(byKind.values())];
  const missing = crds.filter((crd) => !byKind.has(kindOf(crd)));
  // A project's samples show how its users start, so objects are only drawn if there are none.
  const objects = (files.length === 0 ? missing.slice(0, KINDS_MAX) : []).map(drawSample);
  for (const object of objects) {
    const why = refused.get(object.kind);
    if (why !== undefined) notes.push(`${why}; one is drawn from the schema instead`);
    const problem = problemWith(server, object);
    if (problem !== '') notes.push(`the ${object.kind} drawn from the schema is not accepted (${problem}): correct it`);
  }
  if (files.length > KINDS_MAX)
    notes.push(`of ${files.length} samples the first ${KINDS_MAX} are named until they were tried`);
  if (objects.length > 0 && missing.length > KINDS_MAX)
    notes.push(`drawn for ${KINDS_MAX} of ${missing.length} kinds: add what else a user applies`);
  return {
    files: files.slice(0, KINDS_MAX),
    drawn: objects.map((object) => stringify(object)).join('---\n'),
    drawnKinds: objects.map(({ kind }) => kind),
    notes,
  };
}

function candidates({ files, text }: Repository, crds: readonly KubeObject[]): readonly string[] {
  const groups = crds.map(groupOf);
  return files
    .filter((file) => /\.ya?ml$/.test(file) && !/^(kustomization|values|Chart)\./.test(posix.basename(file)))
    .filter((file) =>
      groups.some((group) => new RegExp(`^\\s*apiVersion:\\s*["']?${escaped(group)}/`, 'm').test(text(file))),
    )
    .toSorted((a, b) => rank(a) - rank(b));
}

function rank(file: string): number {
  return placeIn(PLACES, file) + (isForTests(file) ? 10 : 0);
}

/** Reports whether a file is for tests, and not what a user would apply. */
export function isForTests(file: string): boolean {
  return TESTS.test(file);
}

function escaped(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
}

function kindOf(crd: KubeObject): string {
  return textOf(mapOf(mapOf(crd['spec'])['names'])['kind']);
}

type Server = ReturnType<typeof createServer>;

function serverWith(crds: readonly KubeObject[]): Server {
  const server = createServer();
  // A conversion webhook only answers while the target runs.
  installCrds(server, withoutConversionWebhooks(crds).crds);
  return server;
}

/**
 * Returns why the API server refuses an object; empty if it accepts it. An empty spec counts as a problem, because writers
 * could not change anything.
 */
function problemWith(server: Server, object: KubeObject): string {
  const kind = server
    .resourceKinds()
    .find((one) => one.kind === object.kind && apiVersionOf(one) === object.apiVersion);
  if (kind === undefined) return `${object.apiVersion}/${object.kind} is not served`;
  if (typeof object.metadata.name !== 'string') return 'it has no name';
  const spec = object['spec'];
  if (spec === null || (isRecord(spec) && Object.keys(spec).length === 0)) return 'its spec is empty';
  const { namespace = 'default' } = object.metadata;
  // The object's own namespace may be missing on this server, because only a run creates it.
  const placed = kind.namespaced ? { ...object, metadata: { ...object.metadata, namespace: 'default' } } : object;
  const path = collectionPath(kind, kind.namespaced ? 'default' : '');
  const { code, body } = createAtOnce(server, path, placed, { dryRun: 'All' });
  if (code < 300) return '';
  const message = isRecord(body) && typeof body['message'] === 'string' ? body['message'] : `${code} of ${namespace}`;
  return message.split('\n')[0] ?? '';
}
