/**
 * Chooses samples by their effect: each candidate is tried on the target without other writers.
 *
 * Owns: which groups are tried, with which other objects, and which are chosen. Does not own: making the runs
 * (`execution/lab/`), reading them (`effects.ts`). Start at {@link tryCandidates}.
 */
import { groupResource, type KubeObject } from 'stalemate-apiserver/objects/object';
import { installCrds } from '../../clusters/definitions.ts';
import type { History } from '../../model/history.ts';
import { createServer } from '../embedded-server.ts';
import { fieldsUnknownTo } from '../sample-fields.ts';
import { effectOf, type Effect, type MissingObject } from './effects.ts';
import { drawPlain, drawReferenced, referencesIn } from './references.ts';
import type { Repository } from './repository.ts';
import { drawnCandidates, isForTests, objectsNamed, sampleCandidates, type Candidate } from './samples.ts';

/** A group of objects that was tried. */
export interface Tried {
  /** The printed name: a file, and what was added to it. */
  readonly name: string;
  readonly candidate: Candidate;
  /** Objects that are applied in addition to the candidate's own. */
  readonly beside: readonly KubeObject[];
  readonly effect: Effect;
  readonly history: History;
}

export interface Choosing {
  readonly repository: Repository;
  readonly crds: readonly KubeObject[];
  /** The namespace for objects without one. */
  readonly namespace: string;
  /** The run of the target without any sample. */
  readonly alone: History | undefined;
  /** Runs groups of objects; the result omits groups for which there was no time. */
  readonly run: (
    groups: readonly { readonly name: string; readonly objects: readonly KubeObject[] }[],
  ) => Promise<ReadonlyMap<string, History>>;
  readonly onTried: (tried: Tried) => void;
}

/** Maximum number of candidates; one of each kind is tried first. */
const TRIED_MAX = 16;
/** Maximum number of chosen candidates: with more, a run depends more on the machine than on the controller. */
export const CHOSEN_MAX = 3;
/** Rounds of adding missing objects: an added object may refer to further ones. */
const ROUNDS = 2;

/** Returns the candidates with an effect, best first, at most {@link CHOSEN_MAX}, each with a kind that the ones before it lack. */
export async function tryCandidates(choosing: Choosing): Promise<readonly Tried[]> {
  const { repository, crds } = choosing;
  const files = sampleCandidates(repository, crds);
  const tiers = [
    () => files.filter(({ file }) => !isForTests(file)),
    () => files.filter(({ file }) => isForTests(file)),
    () => drawnCandidates(crds).map(drawnCandidate),
  ];
  let all: readonly Tried[] = [];
  for (const tier of tiers) {
    all = await tryAll(tier().slice(0, TRIED_MAX), choosing);
    if (all.some(isEffective)) break;
  }
  return await together(chosenOf(ranked(all.filter(isEffective), crds)), choosing);
}

/**
 * Sorts by effect. Samples with unknown fields come last, because kubectl refuses them. Of samples for several versions with the same
 * effect, the one for the newest version comes first.
 */
function ranked(all: readonly Tried[], crds: readonly KubeObject[]): readonly Tried[] {
  const server = serverOf(crds);
  const strange = new Map(
    all.map((tried) => [tried, Number(fieldsUnknownTo(server, tried.candidate.objects).length > 0)]),
  );
  const newest = all.toSorted((a, b) => b.candidate.file.localeCompare(a.candidate.file, 'en', { numeric: true }));
  const isOld = (tried: Tried): boolean =>
    newest.find((other) => withoutVersion(other) === withoutVersion(tried)) !== tried;
  return all.toSorted(
    (a, b) =>
      (strange.get(a) ?? 0) - (strange.get(b) ?? 0) ||
      b.effect.score - a.effect.score ||
      Number(isOld(a)) - Number(isOld(b)),
  );
}

/** Returns the path of a sample without version numbers: `samples/v0.9.0/a.yaml` and `samples/v1.0.0/a.yaml` give the same text. */
function withoutVersion({ candidate: { file } }: Tried): string {
  return file.replaceAll(/(?<![a-z])v\d+(?:\.\d+)*/g, 'v');
}

function drawnCandidate(object: KubeObject): Candidate {
  return { file: '', objects: [object], whole: false, kinds: [object.kind] };
}

/** Tries each candidate, and tries it again with the missing objects if it lacks any. */
async function tryAll(candidates: readonly Candidate[], choosing: Choosing): Promise<readonly Tried[]> {
  const groups = candidates.map((candidate) => ({ candidate, beside: [] }));
  const all = await tryGroups(groups, choosing);
  await addMissing(all, choosing);
  return all;
}

function isEffective({ effect }: Tried): boolean {
  // A run in which part of the sample is refused would be inconclusive.
  return effect.score > 0 && effect.refused === '';
}

function worthOf(tried: Tried): number {
  return isEffective(tried) ? tried.effect.score : 0;
}

/** Matches messages of servers and webhooks about a missing object: `runtimes.example.com "x" not found`, or with its kind. */
const NOT_FOUND = /\b([A-Za-z]+)((?:\.[\w-]+)*) "([^"]+)" not found/g;

/** Returns the missing objects that an error message of the server names. */
function namedIn(refusal: string, kinds: ReadonlyMap<string, string>): readonly { kind: string; name: string }[] {
  const known = new Set(kinds.values());
  return [...refusal.matchAll(NOT_FOUND)].flatMap(([, head = '', group = '', name = '']) => {
    const kind = kinds.get(`${head}${group}`) ?? (known.has(head) ? head : undefined);
    return kind === undefined ? [] : [{ kind, name }];
  });
}

interface Group {
  readonly candidate: Candidate;
  readonly beside: readonly KubeObject[];
}

async function tryGroups(groups: readonly Group[], choosing: Choosing): Promise<Tried[]> {
  if (groups.length === 0) return [];
  const named = new Map(groups.map((group) => [nameOf(group), group]));
  const histories = await choosing.run(
    [...named].map(([name, { candidate, beside }]) => ({ name, objects: [...beside, ...candidate.objects] })),
  );
  return [...named].flatMap(([name, group]): readonly Tried[] => {
    const history = histories.get(name);
    if (history === undefined) return [];
    const tried = { name, ...group, history, effect: effectOf(history, choosing.alone) };
    choosing.onTried(tried);
    return [tried];
  });
}

function nameOf({ candidate, beside }: Group): string {
  const { file, kinds, movedTo: places = [], ownedBy = [] } = candidate;
  const origin = file === '' ? `${kinds.join(', ')} drawn from the schema` : file;
  const itself = [origin, ...places.map((place) => `in namespace ${place}`), ...ownedBy].join(' ');
  return beside.length === 0
    ? itself
    : `${itself} with ${beside.map(({ kind, metadata }) => `${kind} ${metadata.name ?? ''}`).join(', ')}`;
}

/** Tries candidates again together with the objects that they lack; a better result replaces the earlier one. */
async function addMissing(all: Tried[], choosing: Choosing): Promise<void> {
  const kinds = kindsOf(choosing.crds);
  const names = new Set(all.map(({ name }) => name));
  for (let round = 0; round < ROUNDS; round++) {
    const richer = new Map<Candidate, Tried>();
    const groups = all.flatMap((tried): readonly Group[] => {
      const { beside } = tried;
      const more = missingBeside(tried, kinds, choosing);
      const candidate = movedTo(tried, kinds, choosing.namespace) ?? owned(tried) ?? tried.candidate;
      const group = { candidate, beside: [...beside, ...more] };
      const name = nameOf(group);
      if (names.has(name)) return [];
      names.add(name);
      richer.set(candidate, tried);
      return [group];
    });
    if (groups.length === 0) return;
    for (const better of await tryGroups(groups, choosing)) {
      const before = richer.get(better.candidate);
      if (before !== undefined && worthOf(better) > worthOf(before)) all[all.indexOf(before)] = better;
    }
  }
}

/** Moves a candidate's objects to the namespaces in which the target requests them; undefined if there are none. */
function movedTo(
  { candidate, effect }: Tried,
  kinds: ReadonlyMap<string, string>,
  namespace: string,
): Candidate | undefined {
  const places = new Set<string>();
  const objects = candidate.objects.map((object) => {
    const { kind, metadata } = object;
    const wanted = effect.wanted.find(({ resource, name }) => kinds.get(resource) === kind && name === metadata.name);
    if (wanted === undefined || wanted.namespace === (metadata.namespace ?? namespace)) return object;
    places.add(wanted.namespace);
    return { ...object, metadata: { ...metadata, namespace: wanted.namespace } };
  });
  if (places.size === 0) return undefined;
  return { ...candidate, objects, whole: false, movedTo: [...places] };
}

/**
 * For a candidate without effect, makes each object a dependent of the object that refers to it, as another controller would create it.
 * Returns undefined if no object refers to another one.
 */
function owned({ candidate, effect }: Tried): Candidate | undefined {
  if (effect.written !== '' || candidate.ownedBy !== undefined) return undefined;
  const ownedBy: string[] = [];
  const owners = new Set<KubeObject>();
  const made = candidate.objects.map((object) => {
    const { kind, metadata } = object;
    const owner = candidate.objects.find(
      (other) =>
        other.kind !== kind &&
        referencesIn(other).some((reference) => reference.kind === kind && reference.name === metadata.name),
    );
    if (owner === undefined || metadata.ownerReferences !== undefined) return { before: object, object };
    owners.add(owner);
    ownedBy.push(`with ${owner.kind} ${owner.metadata.name ?? ''} as owner of ${kind} ${metadata.name ?? ''}`);
    // The empty uid stands for the object of this name that was applied before.
    const reference = { apiVersion: owner.apiVersion, kind: owner.kind, name: owner.metadata.name ?? '', uid: '' };
    return { before: object, object: { ...object, metadata: { ...metadata, ownerReferences: [reference] } } };
  });
  if (ownedBy.length === 0) return undefined;
  const isOwner = ({ before }: { readonly before: KubeObject }): boolean => owners.has(before);
  const inOrder = [...made.filter(isOwner), ...made.filter((one) => !isOwner(one))];
  return { ...candidate, objects: inOrder.map(({ object }) => object), whole: false, ownedBy };
}

/**
 * Returns the missing objects that the candidate refers to, the target requested or the server named in an error. Takes them from the
 * repository, or generates them if possible.
 */
function missingBeside(
  { candidate, beside, effect }: Tried,
  kinds: ReadonlyMap<string, string>,
  choosing: Choosing,
): readonly KubeObject[] {
  const present = [...candidate.objects, ...beside];
  const has = (kind: string, name: string): boolean =>
    present.some((object) => object.kind === kind && object.metadata.name === name);
  const drawable = candidate.objects
    .flatMap((object) => referencesIn(object))
    .filter(({ kind, name }) => !has(kind, name));
  const asked = effect.wanted.flatMap((wanted: MissingObject) => {
    const kind = kinds.get(wanted.resource);
    return kind === undefined || has(kind, wanted.name) ? [] : [{ kind, name: wanted.name, where: wanted.namespace }];
  });
  const refused = namedIn(effect.refused, kinds).flatMap(({ kind, name }) =>
    has(kind, name) ? [] : [{ kind, name, where: '' }],
  );
  const added = new Map<string, KubeObject>();
  for (const { kind, name, where } of [...asked, ...refused]) {
    const object = objectFor({ kind, name, where }, choosing) ?? drawPlain(kind, name);
    if (object !== undefined) added.set(`${kind}/${name}`, object);
  }
  for (const reference of drawable) {
    const key = `${reference.kind}/${reference.name}`;
    if (added.has(key)) continue;
    const where = reference.namespace === '' ? choosing.namespace : reference.namespace;
    const object = objectFor({ ...reference, where }, choosing) ?? drawReferenced(reference);
    if (object !== undefined) added.set(key, object);
  }
  return [...added.values()];
}

interface Named {
  readonly kind: string;
  readonly name: string;
  /** The object's namespace; empty for any. */
  readonly where: string;
}

/** Finds the object in the repository. An object without a namespace matches any. */
function objectFor({ kind, name, where }: Named, { repository, namespace, crds }: Choosing): KubeObject | undefined {
  const found = objectsNamed(repository, kind, name).find(
    (object) => declares(crds, object) && (where === '' || (object.metadata.namespace ?? where) === where),
  );
  if (found === undefined || where === '' || where === namespace) return found;
  return { ...found, metadata: { ...found.metadata, namespace: where } };
}

/** Reports whether a kind is built in or has a CRD. */
function declares(crds: readonly KubeObject[], { apiVersion, kind }: KubeObject): boolean {
  return serverOf(crds).kindFor(apiVersion, kind) !== undefined;
}

function kindsOf(crds: readonly KubeObject[]): ReadonlyMap<string, string> {
  return new Map(
    serverOf(crds)
      .resourceKinds()
      .map((kind) => [groupResource(kind), kind.kind]),
  );
}

const servers = new WeakMap<readonly KubeObject[], ReturnType<typeof createServer>>();

function serverOf(crds: readonly KubeObject[]): ReturnType<typeof createServer> {
  const made = servers.get(crds) ?? createServer();
  if (!servers.has(crds)) installCrds(made, crds);
  servers.set(crds, made);
  return made;
}

/** @param all - The best first. */
function chosenOf(all: readonly Tried[]): readonly Tried[] {
  const chosen: Tried[] = [];
  const kinds = new Set<string>();
  const objects = new Set<string>();
  for (const tried of all) {
    if (chosen.length === CHOSEN_MAX) break;
    const keys = [...tried.candidate.objects, ...tried.beside].map(
      ({ apiVersion, kind, metadata: { namespace = '', name = '' } }) => `${apiVersion}/${kind}/${namespace}/${name}`,
    );
    // A second sample of the same kind takes time from the first, and objects of the same name exclude each other.
    if (tried.candidate.kinds.every((kind) => kinds.has(kind)) || keys.some((key) => objects.has(key))) continue;
    for (const kind of tried.candidate.kinds) kinds.add(kind);
    for (const key of keys) objects.add(key);
    chosen.push(tried);
  }
  return chosen;
}

/** Number of requests below which a group takes negligible time. */
const CHEAP_REQUESTS = 80;

/** Tries the chosen groups together, and uses the combination if it is cheap, or as valuable as the best group alone. */
async function together(chosen: readonly Tried[], { run, alone }: Choosing): Promise<readonly Tried[]> {
  const [best] = chosen;
  if (best === undefined || chosen.length === 1) return chosen;
  const objects = chosen.flatMap(({ candidate, beside }) => [...beside, ...candidate.objects]);
  const history = (await run([{ name: 'together', objects }])).get('together');
  const effect = history === undefined ? undefined : effectOf(history, alone);
  if (effect === undefined || effect.refused !== '') return [best];
  const isCheap = effect.requests <= CHEAP_REQUESTS && effect.score > 0;
  return isCheap || effect.score >= best.effect.score ? chosen : [best];
}
