/**
 * A recorded conversation with one API server, in a form that is the same on every server: versions are numbered in the order of appearance
 * (`v1`, `v2`), uids are omitted.
 *
 * Owns: requests over real HTTP by verb and object, one line each, and the answers. Start at {@link Conversation}.
 */
import { isMap } from '../../objects/json.ts';
import type { JsonObject, JsonValue } from '../../objects/object.ts';
import { at } from '../conformance/case.ts';
import type { ApiClient, OpenStream } from '../differential/client.ts';
import { plain } from '../differential/compare.ts';
import { GROUP } from '../differential/crds.ts';

export interface Answer {
  readonly code: number;
  /** The object in the answer, or a Status. */
  readonly object: JsonObject;
  /** The object's `resourceVersion`; empty for a Status. */
  readonly version: string;
  /** The message of a Status, which gives the reason. */
  readonly message: string;
}

/** One event of a watch. */
export interface Heard {
  /** Event type and object name: `MODIFIED a`. */
  readonly words: string;
  readonly version: string;
}

/** The path prefix of each kind that claims use. */
const HOMES: { readonly [kind: string]: readonly [prefix: string, resource: string] } = {
  ConfigMap: ['/api/v1', 'configmaps'],
  Secret: ['/api/v1', 'secrets'],
  Lease: ['/apis/coordination.k8s.io/v1', 'leases'],
  Deployment: ['/apis/apps/v1', 'deployments'],
  Widget: [`/apis/${GROUP}/v1`, 'widgets'],
  Plain: [`/apis/${GROUP}/v1`, 'plains'],
};

const LONGEST_BODY = 70;
const LONGEST_MESSAGE = 110;
/** The longest wait for an event. */
const EVENTS_TIMEOUT_MS = 10_000;

export class Conversation {
  readonly #lines: string[] = [];
  readonly #client: ApiClient;
  readonly #namespace: string;

  constructor(client: ApiClient, namespace: string) {
    this.#client = client;
    this.#namespace = namespace;
  }

  /** Returns the transcript. Versions are called `v1`, `v2`, … in order; versions that no answer contained are left as they are. */
  get lines(): readonly string[] {
    const tokens = [
      ...new Set(this.#lines.flatMap((line) => [...line.matchAll(VERSION)].map((match) => match[1] ?? ''))),
    ];
    const inOrder = tokens.toSorted((a, b) => Number(a) - Number(b));
    return this.#lines.map((line) => line.replace(VERSION, (_, version: string) => `v${inOrder.indexOf(version) + 1}`));
  }

  /** Records a line about an answer. */
  note(text: string): void {
    this.#lines.push(`  ${text}`);
  }

  create(object: JsonObject): Promise<Answer> {
    const { apiVersion: _, kind: _kind, metadata: _metadata, ...content } = object;
    return this.#ask('POST', object, { body: object, shown: content });
  }

  get(object: JsonObject): Promise<Answer> {
    return this.#ask('GET', object, {});
  }

  /** Sends a PUT: the object as it was read, with changed `fields`. `version`, if given, replaces its resource version. */
  replace(
    read: Answer,
    fields: JsonObject,
    { version = read.version, status = false }: { readonly version?: string; readonly status?: boolean } = {},
  ): Promise<Answer> {
    const metadata = { ...(read.object['metadata'] as JsonObject), resourceVersion: version };
    return this.#ask('PUT', read.object, {
      body: { ...read.object, metadata, ...fields },
      shown: fields,
      version,
      status,
    });
  }

  /** Sends a JSON merge patch unchanged. */
  merge(
    object: JsonObject,
    patch: JsonObject,
    { status = false }: { readonly status?: boolean } = {},
  ): Promise<Answer> {
    const version = at(patch, 'metadata.resourceVersion');
    const own = typeof version === 'string' ? { version } : {};
    return this.#ask('PATCH', object, { body: patch, shown: patch, status, type: 'merge-patch+json', ...own });
  }

  /** Sends a server-side apply without force. */
  apply(object: JsonObject, manager: string): Promise<Answer> {
    const { apiVersion: _, kind: _kind, metadata: _metadata, ...content } = object;
    const version = at(object, 'metadata.resourceVersion');
    const own = typeof version === 'string' ? { version } : {};
    return this.#ask('PATCH', object, {
      body: object,
      shown: content,
      type: 'apply-patch+yaml',
      query: `fieldManager=${manager}`,
      ...own,
    });
  }

  delete(
    object: JsonObject,
    preconditions?: { readonly uid?: string; readonly resourceVersion?: string },
  ): Promise<Answer> {
    if (preconditions === undefined) return this.#ask('DELETE', object, {});
    const version = preconditions.resourceVersion;
    const shown = {
      preconditions: { ...preconditions, ...(preconditions.uid === undefined ? {} : { uid: 'its uid' }) },
    };
    return this.#ask('DELETE', object, {
      body: { preconditions },
      shown,
      ...(version === undefined ? {} : { version }),
    });
  }

  async watch(object: JsonObject, version: string): Promise<OpenStream> {
    const [path, resource] = this.#collection(object);
    this.#lines.push(`WATCH ${resource} from ${called(version)}`);
    return this.#client.watch({ method: 'GET', path: `${path}?watch=true&resourceVersion=${version}` });
  }

  /** Returns the next `count` events of a watch; fewer on timeout. */
  async events(stream: OpenStream, count: number): Promise<readonly Heard[]> {
    let seen = 0;
    await stream.until(() => ++seen >= count, EVENTS_TIMEOUT_MS);
    stream.close();
    return stream.events.slice(0, count).map(({ type, object }) => {
      const [what, name, code] = ['reason', 'metadata.name', 'code'].map((path) => plain(at(object, path) ?? ''));
      const version = plain(at(object, 'metadata.resourceVersion') ?? '');
      const words = type === 'ERROR' ? `${type} ${code} ${what}` : `${type} ${name}`;
      this.#lines.push(`  event ${words}${type === 'ERROR' ? '' : ` ${called(version)}`}`);
      return { words, version };
    });
  }

  async #ask(method: string, object: JsonObject, what: What): Promise<Answer> {
    const [collection, resource] = this.#collection(object);
    const name = plain(at(object, 'metadata.name') ?? '');
    const below = `${name === '' ? '' : `/${name}`}${what.status === true ? '/status' : ''}`;
    const query = what.query === undefined ? '' : `?${what.query}`;
    const reply = await this.#client.request({
      method,
      path: (method === 'POST' ? collection : collection + below) + query,
      body: what.body,
      headers: {
        'user-agent': 'claims',
        ...(what.type === undefined ? {} : { 'content-type': `application/${what.type}` }),
      },
    });
    const answered = isMap(reply.body) ? reply.body : {};
    const version = plain(at(answered, 'metadata.resourceVersion') ?? '');
    const message = answered['kind'] === 'Status' ? plain(answered['message'] ?? '') : '';
    const generation = at(answered, 'metadata.generation');
    const outcome = [
      reply.code < 400 ? String(reply.code) : `${reply.code} ${plain(answered['reason'] ?? '')}${reasonOf(message)}`,
      ...(version === '' ? [] : [called(version)]),
      ...(typeof generation === 'number' ? [`generation ${generation}`] : []),
    ];
    const told = [
      VERBS[what.type ?? ''] ?? method,
      resource + below + query,
      ...(what.version === undefined ? [] : [`with ${called(what.version)}`]),
      ...(what.shown === undefined ? [] : [short(symbolic(what.shown), LONGEST_BODY)]),
    ];
    this.#lines.push(`${told.join(' ')} → ${outcome.join(', ')}`);
    return { code: reply.code, object: answered, version, message };
  }

  #collection(object: JsonObject): readonly [path: string, resource: string] {
    const kind = plain(object['kind'] ?? '');
    const home = HOMES[kind];
    if (home === undefined) throw new Error(`no claim talks about "${kind}"`);
    return [`${home[0]}/namespaces/${this.#namespace}/${home[1]}`, home[1]];
  }
}

interface What {
  readonly body?: JsonObject;
  /** The part of the body that the transcript shows. */
  readonly shown?: JsonObject;
  /** The version in the body. */
  readonly version?: string;
  readonly status?: boolean;
  /** The content type of a patch. */
  readonly type?: string;
  readonly query?: string;
}

/** A version in a recorded line, before it is replaced by its number. */
const VERSION = /‹(\d+)›/g;

function called(version: JsonValue | undefined): string {
  const text = plain(version ?? '');
  return text === '' || text === '1' ? `"${text}"` : `‹${text}›`;
}

function symbolic(body: JsonObject): string {
  return JSON.stringify(body, (key, value: unknown) =>
    key === 'resourceVersion' && typeof value === 'string' ? called(value) : value,
  ).replaceAll('"', '');
}

const VERBS: { readonly [type: string]: string } = { 'merge-patch+json': 'MERGE', 'apply-patch+yaml': 'APPLY' };

function short(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length - 1)}…`;
}

/** Returns a message without uids, which differ between servers; an empty text for conflicts, whose message is always the same. */
function reasonOf(message: string): string {
  if (message.includes('the object has been modified')) return '';
  return `: ${short(message.replaceAll(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '(uid)'), LONGEST_MESSAGE)}`;
}
