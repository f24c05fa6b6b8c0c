/**
 * One definition or object on both servers: requests are sent to both, their answers compared.
 *
 * Owns: the definition of a difference. Uses the differential's comparison (`apiserver/fidelity/differential`): uids, times, versions and
 * generated names are numbered in order of appearance.
 */
import type { Difference } from './difference.ts';
import type { Ask, Reply } from '../../fidelity/differential/client.ts';
import { differences, type DifferenceAt } from '../../fidelity/differential/compare.ts';
import { Symbols } from '../../fidelity/differential/symbols.ts';
import { realDelay } from '../../clock.ts';
import { isMap, mapOf, mapsOf, textOf } from '../../objects/json.ts';
import type { JsonObject, JsonValue } from '../../objects/object.ts';
import type { Document } from './documents.ts';
import { definedKinds, kindKey, pathOf, type Asked, type Kinds, type Served } from './kinds.ts';
import { isKnown } from './known.ts';
import { deletion, prepared, stepsOf, type Step } from './steps.ts';

export interface Counts {
  definitions: number;
  /** The number of definitions accepted by the real server, by the embedded server, and by both. */
  definitionsReal: number;
  definitionsOurs: number;
  definitionsBoth: number;
  objects: number;
  objectsReal: number;
  objectsOurs: number;
  objectsBoth: number;
  answers: number;
}

/** Totals of a project. */
export interface Tally {
  readonly counts: Counts;
  readonly unexplained: Difference[];
  readonly explained: Difference[];
}

export function emptyTally(): Tally {
  return { counts: noCounts(), unexplained: [], explained: [] };
}

function noCounts(): Counts {
  return {
    definitions: 0,
    definitionsReal: 0,
    definitionsOurs: 0,
    definitionsBoth: 0,
    objects: 0,
    objectsReal: 0,
    objectsOurs: 0,
    objectsBoth: 0,
    answers: 0,
  };
}

export interface Servers {
  readonly ours: Asked;
  readonly real: Asked;
  readonly builtIn: Kinds;
}

const CRDS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const AGENT = { 'user-agent': 'definitions/1' };
const TRIES = 2000;

/** One server's state during the comparison. */
interface Side {
  readonly client: Asked;
  readonly symbols: Symbols;
  seen: JsonObject;
  reply: Reply | undefined;
}

export class Conversation {
  readonly #project: string;
  readonly #tally: Tally;
  readonly #ours: Side;
  readonly #real: Side;

  constructor(project: string, tally: Tally, { ours, real }: Servers) {
    this.#project = project;
    this.#tally = tally;
    this.#ours = { client: ours, symbols: new Symbols(), seen: {}, reply: undefined };
    this.#real = { client: real, symbols: new Symbols(), seen: {}, reply: undefined };
  }

  /** Dry-runs a definition on both servers. */
  async tryDefinition(document: Document): Promise<void> {
    const body = named(document.object);
    const step: Step = {
      name: 'define, dry run',
      ask: () => ({ method: 'POST', path: `${CRDS}?dryRun=All`, body, headers: AGENT }),
    };
    await this.#step(step, document, body);
    this.#count('definitions');
  }

  #count(what: 'definitions' | 'objects'): void {
    this.#tally.counts[what]++;
    const [ours, real] = [this.#ours, this.#real].map(({ reply }) => (reply?.code ?? 0) < 300);
    if (real === true) this.#tally.counts[`${what}Real`]++;
    if (ours === true) this.#tally.counts[`${what}Ours`]++;
    if (ours === true && real === true) this.#tally.counts[`${what}Both`]++;
  }

  /** Stores a definition without its webhook, which does not run here; returns the kinds that both servers serve from now on. */
  async define(document: Document, counted: boolean): Promise<readonly Served[]> {
    const spec = mapOf(document.object['spec']);
    const body: JsonObject = { ...named(document.object), spec: { ...spec, conversion: { strategy: 'None' } } };
    const path = `${CRDS}/${textOf(mapOf(body['metadata'])['name'])}`;
    await this.#step(
      { name: 'define', ask: () => ({ method: 'POST', path: CRDS, body, headers: AGENT }) },
      document,
      body,
    );
    if (counted) this.#count('definitions');
    if ([this.#ours, this.#real].some(({ reply }) => reply?.code !== 201)) {
      await removeDefinition([this.#ours.client, this.#real.client], textOf(mapOf(body['metadata'])['name']));
      return [];
    }
    for (const side of [this.#ours, this.#real]) await untilEstablished(side.client, path);
    const shown: Step = { name: 'definition, established', ask: () => ({ method: 'GET', path, headers: AGENT }) };
    await this.#step(shown, document, body, withSortedConditions);
    const kinds = definedKinds(body);
    for (const served of kinds)
      for (const side of [this.#ours, this.#real]) await untilServed(side.client, pathOf(served, 'default'));
    return kinds;
  }

  /** Runs an object through all steps in a namespace. `unique` makes cluster-scoped names unique. */
  async object(document: Document, served: Served, namespace: string, unique: number): Promise<void> {
    const object = prepared(document.object, served, namespace);
    const renamed =
      served.kind === 'Namespace'
        ? { ...object, metadata: { ...mapOf(object['metadata']), name: `${namespace}-${unique}` } }
        : object;
    const steps = stepsOf(renamed, served, namespace);
    const only = steps.length === 1;
    for (const step of steps) {
      const same = await this.#step(step, document, renamed);
      if (step.name.startsWith('create')) {
        const refused = [this.#ours, this.#real].some(({ reply }) => (reply?.code ?? 0) >= 300);
        if (step.name === 'create' || only) this.#count('objects');
        if (step.name === 'create' && refused) break;
      }
      // After answers with different codes, all later differences are consequences of that difference.
      if (!same && this.#ours.reply?.code !== this.#real.reply?.code) break;
    }
    const path = pathOf(served, namespace, textOf(mapOf(renamed['metadata'])['name']));
    for (const { client } of [this.#ours, this.#real])
      for (const step of deletion(path)) await client.request(step.ask({}));
  }

  async #step(
    step: Step,
    { file }: Document,
    object: JsonObject,
    shown: (body: JsonValue) => JsonValue = (body) => body,
  ): Promise<boolean> {
    const answer = async (side: Side): Promise<JsonValue> => {
      const ask: Ask = step.ask(side.seen);
      const reply = await side.client.request(ask);
      side.reply = reply;
      if (reply.code < 300 && isMap(reply.body) && reply.body['kind'] === object['kind']) side.seen = reply.body;
      return outcomeOf(reply, shown, side.symbols);
    };
    const [ours, real] = await Promise.all([answer(this.#ours), answer(this.#real)]);
    this.#tally.counts.answers++;
    const answers = { ours: answerOf(this.#ours.reply), real: answerOf(this.#real.reply) };
    const places: readonly DifferenceAt[] =
      answers.ours === answers.real
        ? differences(ours, real)
        : [{ path: 'answer', ours: messageOf(this.#ours.reply), real: messageOf(this.#real.reply) }];
    const name = `${kindKey(object)} ${textOf(mapOf(object['metadata'])['name'])}`;
    for (const place of places) {
      const difference: Difference = { ...place, project: this.#project, file, object: name, step: step.name, answers };
      (isKnown(difference) ? this.#tally.explained : this.#tally.unexplained).push(difference);
    }
    return places.length === 0;
  }
}

/** Returns a definition as it is sent, without fields that a server added. */
function named(object: JsonObject): JsonObject {
  const { status: _, ...rest } = object;
  return rest;
}

function outcomeOf(reply: Reply, shown: (body: JsonValue) => JsonValue, symbols: Symbols): JsonValue {
  const { warning } = reply.headers;
  const warnings =
    warning === undefined
      ? []
      : [warning]
          .flat()
          .flatMap((one) => one.split(/, (?=299 )/))
          .sort();
  return { code: reply.code, warnings, body: symbols.of(shown(reply.body)) };
}

function answerOf(reply: Reply | undefined): string {
  const body = reply?.body ?? null;
  const reason = isMap(body) && body['kind'] === 'Status' ? ` ${textOf(body['reason'])}` : '';
  return `${reply?.code ?? 0}${reason}`;
}

function messageOf(reply: Reply | undefined): JsonValue {
  const body = reply?.body ?? null;
  return isMap(body) && body['kind'] === 'Status' ? (body['message'] ?? null) : `${reply?.code}`;
}

/** Returns a body with sorted conditions: the controllers of a real server set them in any order. */
function withSortedConditions(body: JsonValue): JsonValue {
  const status = mapOf(mapOf(body)['status']);
  const conditions = mapsOf(status['conditions']).toSorted((a, b) => (textOf(a['type']) < textOf(b['type']) ? -1 : 1));
  return { ...mapOf(body), status: { ...status, conditions } };
}

async function untilEstablished(client: Asked, path: string): Promise<void> {
  for (let tries = 0; tries < TRIES; tries++) {
    const { body } = await client.request({ method: 'GET', path });
    const wanted = /\.(k8s|kubernetes)\.io$/.test(path)
      ? ['Established', 'KubernetesAPIApprovalPolicyConformant']
      : ['Established'];
    const conditions = mapsOf(mapOf(mapOf(body)['status'])['conditions']);
    const settled = wanted.every((type) =>
      conditions.some((one) => one['type'] === type && (type !== 'Established' || one['status'] === 'True')),
    );
    if (settled) return;
    await realDelay(10);
  }
}

async function untilServed(client: Asked, path: string): Promise<void> {
  for (let tries = 0; tries < TRIES; tries++) {
    if ((await client.request({ method: 'GET', path: `${path}?limit=1` })).code !== 404) return;
    await realDelay(10);
  }
}

/** Deletes a definition on all servers, and waits until it is gone. */
export async function removeDefinition(clients: readonly Asked[], name: string): Promise<void> {
  for (const client of clients) {
    await client.request({ method: 'DELETE', path: `${CRDS}/${name}` });
    for (let tries = 0; tries < TRIES; tries++) {
      if ((await client.request({ method: 'GET', path: `${CRDS}/${name}` })).code === 404) break;
      await realDelay(10);
    }
  }
}
