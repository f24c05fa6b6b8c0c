/**
 * One project on both servers: its definitions are created, its objects go through {@link stepsOf}, every answer is compared.
 *
 * Owns: which definitions are installed and which are only dry-run, and what may run in parallel. Differences are defined in
 * `conversation.ts`.
 */
import { mapOf, sortedKeys, textOf } from '../../objects/json.ts';
import type { JsonObject } from '../../objects/object.ts';
import { Conversation, emptyTally, removeDefinition, type Servers, type Tally } from './conversation.ts';
import type { Document } from './documents.ts';
import { kindKey, type Kinds, type Served } from './kinds.ts';

export interface Bounds {
  /** The maximum number of objects of one kind. */
  readonly perKind: number;
  /** The maximum number of other definitions with the same name as the installed one. */
  readonly variants: number;
  /** Contents that earlier projects have covered; this project adds its own. */
  readonly seen: Set<string>;
}

/** The number of parallel comparisons: requests wait more than they compute. */
const LANES = 4;

let projects = 0;

/** Compares the documents of one project. */
export async function compareProject(
  project: string,
  documents: readonly Document[],
  servers: Servers,
  bounds: Bounds,
): Promise<Tally> {
  const tally = emptyTally();
  const talk = (): Conversation => new Conversation(project, tally, servers);
  const { installed, tried } = chosen(
    documents.filter(({ object }) => object['kind'] === 'CustomResourceDefinition'),
    bounds,
  );
  const fresh = installed.filter(({ object }) => !bounds.seen.has(contentOf(object)));
  for (const { object } of installed) bounds.seen.add(contentOf(object));
  // An installed definition with a conversion webhook is stored without the webhook, so it is also dry-run unchanged.
  await inLanes(
    [...tried, ...fresh.filter(({ object }) => isConverted(object))].map((one) => () => talk().tryDefinition(one)),
  );
  const kinds = new Map(servers.builtIn);
  await inLanes(
    installed.map((one) => async () => {
      const counted = fresh.includes(one) && !isConverted(one.object);
      for (const served of await talk().define(one, counted)) kinds.set(`${served.apiVersion} ${served.kind}`, served);
    }),
  );
  await compareObjects(objectsOf(documents, kinds, bounds), servers, talk);
  const clients = [servers.ours, servers.real];
  await inLanes(installed.map((one) => () => removeDefinition(clients, nameOf(one.object))));
  return tally;
}

/** Compares kind by kind, each in a namespace of its own; built-in kinds affect each other, so they run one after the other. */
async function compareObjects(objects: readonly Subject[], servers: Servers, talk: () => Conversation): Promise<void> {
  const byKind = new Map<string, Subject[]>();
  for (const one of objects) {
    const key = one.served.custom ? one.served.kind : '';
    byKind.set(key, [...(byKind.get(key) ?? []), one]);
  }
  const prefix = `definitions-${++projects}`;
  const lanes = [...byKind.values()].map((subjects, at) => async () => {
    const namespace = `${prefix}-${at}`;
    const body = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } };
    for (const client of [servers.ours, servers.real])
      await client.request({ method: 'POST', path: '/api/v1/namespaces', body });
    for (const [unique, { document, served }] of subjects.entries())
      await talk().object(document, served, namespace, unique);
  });
  await inLanes(lanes);
}

/** Runs all of the functions, a few in parallel. */
async function inLanes(all: readonly (() => Promise<void>)[]): Promise<void> {
  const left = all.values();
  const lane = async (): Promise<void> => {
    for (const one of left) await one();
  };
  await Promise.all(Array.from({ length: LANES }, lane));
}

function nameOf(object: JsonObject): string {
  return textOf(mapOf(object['metadata'])['name']);
}

interface Subject {
  readonly document: Document;
  readonly served: Served;
}

function contentOf(object: JsonObject): string {
  return JSON.stringify(sortedKeys(object['spec'] ?? null));
}

function isConverted(crd: JsonObject): boolean {
  return mapOf(mapOf(crd['spec'])['conversion'])['strategy'] === 'Webhook';
}

/** Returns, for each name, the definition to install: the one whose file is most likely installed in practice. The others are dry-run. */
function chosen(
  definitions: readonly Document[],
  { variants, seen }: Bounds,
): { readonly installed: readonly Document[]; readonly tried: readonly Document[] } {
  const byName = new Map<string, Document[]>();
  for (const one of definitions) {
    const name = nameOf(one.object);
    byName.set(name, [...(byName.get(name) ?? []), one]);
  }
  const installed: Document[] = [];
  const tried: Document[] = [];
  for (const [, all] of byName) {
    const [first, ...rest] = all.toSorted((a, b) => weight(a.file) - weight(b.file));
    if (first === undefined) continue;
    installed.push(first);
    const others = new Map(rest.map((one) => [contentOf(one.object), one]));
    others.delete(contentOf(first.object));
    for (const [content, one] of [...others].slice(0, variants))
      if (!seen.has(content)) {
        seen.add(content);
        tried.push(one);
      }
  }
  return { installed, tried };
}

/** Ranks a file: the higher, the less likely its definitions are installed in practice. Files of tests and patches rank high. */
function weight(file: string): number {
  return (
    (/test|e2e|hack|example|vendor|third_party|patch/i.test(file) ? 4 : 0) + (/config\/crd|crds?\//.test(file) ? 0 : 1)
  );
}

function objectsOf(documents: readonly Document[], kinds: Kinds, { perKind, seen }: Bounds): readonly Subject[] {
  const counts = new Map<string, number>();
  return documents.flatMap((document) => {
    const served = kinds.get(kindKey(document.object));
    const content = JSON.stringify(sortedKeys(document.object));
    if (served === undefined || document.object['kind'] === 'CustomResourceDefinition' || seen.has(content)) return [];
    const count = counts.get(served.kind) ?? 0;
    if (count >= perKind) return [];
    counts.set(served.kind, count + 1);
    seen.add(content);
    return [{ document, served }];
  });
}
