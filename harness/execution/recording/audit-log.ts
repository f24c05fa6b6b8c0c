/**
 * Converts a Kubernetes audit log to happenings.
 *
 * Owns: reading `audit.k8s.io/v1` events, one JSON object per line, and notes on what their levels omit. An audit log contains no watch
 * events and no revisions of deletions. Start at {@link readAuditLog}.
 */
import {
  groupResource,
  revisionOf,
  type JsonObject,
  type JsonValue,
  type KubeObject,
} from 'stalemate-apiserver/objects/object';
import type { ApiRequest, Method } from 'stalemate-apiserver/wire/http';
import { requestInfo } from 'stalemate-apiserver/wire/request-info';
import { OBSERVER_AGENT } from '../../clusters/observer.ts';
import type { ObservedChange } from '../../gate/recorder.ts';
import { HarnessError } from '../../model/errors.ts';
import { isWrite } from '../../model/history.ts';
import type { ActorId } from '../../model/actor.ts';
import { activitiesOf, nameActors, programOf } from './actors.ts';
import type { Happening } from './happening.ts';

interface AuditEvent {
  readonly level: 'None' | 'Metadata' | 'Request' | 'RequestResponse';
  readonly stage: 'RequestReceived' | 'ResponseStarted' | 'ResponseComplete' | 'Panic';
  readonly requestURI: string;
  readonly verb: string;
  readonly userAgent?: string;
  readonly user?: { readonly username?: string };
  readonly responseStatus?: { readonly code?: number; readonly reason?: string; readonly message?: string };
  readonly requestObject?: JsonValue;
  readonly responseObject?: JsonValue;
  readonly requestReceivedTimestamp: string;
  readonly stageTimestamp: string;
}

export interface ReadAuditLog {
  readonly happenings: readonly Happening[];
  readonly actors: ReadonlyMap<ActorId, string>;
  readonly notes: readonly string[];
}

/**
 * Reads a log. `target` is part of the controller's user agent.
 *
 * @throws {FORMAT_INVALID} if a line is not an audit event, or no line contains a request.
 */
export function readAuditLog(text: string, source: string, target?: string): ReadAuditLog {
  const events = text
    .split('\n')
    .flatMap((line, index) => (line.trim() === '' ? [] : [eventOf(line, index + 1, source)]));
  const complete = events
    .filter(({ stage, level }) => (stage === 'ResponseComplete' || stage === 'Panic') && level !== 'None')
    .filter(
      ({ requestURI, verb, userAgent }) => infoOf(requestURI, verb) !== undefined && userAgent !== OBSERVER_AGENT,
    );
  if (complete.length === 0)
    throw new HarnessError(
      'FORMAT_INVALID',
      `"${source}" holds no completed request for a resource, expected events of stage ResponseComplete; check the audit policy's omitStages`,
    );
  const startMs = Math.min(...complete.map(({ requestReceivedTimestamp }) => timeOf(requestReceivedTimestamp)));
  const names = nameActors(
    activitiesOf(
      complete.map((event) => ({ agent: agentOf(event), verb: infoOf(event.requestURI, event.verb)?.verb })),
    ),
    target,
  );
  const timed: { readonly atMs: number; readonly order: number; readonly one: Happening }[] = [];
  for (const [exchange, event] of complete.entries()) {
    const receivedMs = timeOf(event.requestReceivedTimestamp) - startMs;
    const answeredMs = timeOf(event.stageTimestamp) - startMs;
    const actor = names.get(agentOf(event)) ?? 'user';
    const request = requestOf(event);
    timed.push({ atMs: receivedMs, order: 0, one: { what: 'request', exchange, timeMs: receivedMs, actor, request } });
    const answers = answersOf(
      event,
      exchange,
      answeredMs,
      infoOf(event.requestURI, event.verb)?.verb === 'watch' ? receivedMs : undefined,
    );
    for (const one of answers) timed.push({ atMs: one.timeMs, order: 1, one });
  }
  const happenings = timed.toSorted((a, b) => a.atMs - b.atMs || a.order - b.order).map(({ one }) => one);
  return {
    happenings: withChanges(happenings),
    actors: new Map([...names].map(([agent, name]) => [name, agent])),
    notes: notesOf(complete),
  };
}

function eventOf(line: string, number: number, source: string): AuditEvent {
  let event: unknown;
  try {
    event = JSON.parse(line);
  } catch {
    throw new HarnessError(
      'FORMAT_INVALID',
      `line ${number} of "${source}" is no JSON, expected one audit event of audit.k8s.io/v1 a line`,
    );
  }
  const { kind, apiVersion, requestURI, verb } = (event ?? {}) as { readonly [key: string]: unknown };
  if (
    kind !== 'Event' ||
    apiVersion !== 'audit.k8s.io/v1' ||
    typeof requestURI !== 'string' ||
    typeof verb !== 'string'
  )
    throw new HarnessError(
      'FORMAT_INVALID',
      `line ${number} of "${source}" is ${typeof kind === 'string' ? `a ${kind} of ${String(apiVersion)}` : 'no audit event'}, expected an Event of audit.k8s.io/v1 with verb and requestURI`,
    );
  return event as AuditEvent;
}

const METHODS: { readonly [verb: string]: Method } = {
  create: 'POST',
  update: 'PUT',
  patch: 'PATCH',
  delete: 'DELETE',
  deletecollection: 'DELETE',
};

function infoOf(uri: string, verb: string): ReturnType<typeof requestInfo> {
  const { path, query } = partsOf(uri);
  return requestInfo(METHODS[verb] ?? 'GET', path, query);
}

function partsOf(uri: string): { readonly path: string; readonly query: ApiRequest['query'] } {
  const url = new URL(uri, 'http://server');
  return { path: url.pathname, query: Object.fromEntries(url.searchParams) };
}

function requestOf({ requestURI, verb, requestObject, userAgent }: AuditEvent): ApiRequest {
  const headers = userAgent === undefined ? {} : { 'user-agent': userAgent };
  const body = requestObject === undefined || requestObject === null ? {} : { body: requestObject };
  return { method: METHODS[verb] ?? 'GET', ...partsOf(requestURI), headers, ...body };
}

/**
 * Returns the happenings that follow from the response in an audit event. A watch counts as opened when requested; its events are not
 * logged.
 */
function answersOf(
  event: AuditEvent,
  exchange: number,
  timeMs: number,
  openedMs: number | undefined,
): readonly Happening[] {
  const { responseStatus = {}, responseObject } = event;
  const { code = 0 } = responseStatus;
  if (event.stage === 'Panic' || code === 0) return [{ what: 'end', exchange, timeMs, broken: true }];
  if (openedMs !== undefined && code === 200)
    return [
      { what: 'open', exchange, timeMs: openedMs },
      { what: 'end', exchange, timeMs, broken: false },
    ];
  const status: JsonObject = { kind: 'Status', ...(responseStatus as JsonObject) };
  const body = responseObject ?? (code >= 400 ? status : { kind: 'Status', metadata: {} });
  return [{ what: 'answer', exchange, timeMs, answer: { code, body } }];
}

/** Inserts the change of an object before the answer to the write that made it. */
function withChanges(happenings: readonly Happening[]): readonly Happening[] {
  const known = new Set<string>();
  const asked = new Map<number, ApiRequest>();
  return happenings.flatMap((one): readonly Happening[] => {
    if (one.what === 'request') asked.set(one.exchange, one.request);
    if (one.what !== 'answer' || one.answer.code >= 300) return [one];
    const request = asked.get(one.exchange);
    const change = request === undefined ? undefined : changeOf(request, one.answer.body as JsonObject, known);
    return change === undefined ? [one] : [{ what: 'change', timeMs: one.timeMs, change }, one];
  });
}

function changeOf(request: ApiRequest, body: JsonObject, known: Set<string>): ObservedChange | undefined {
  const info = requestInfo(request.method, request.path, request.query);
  const object = body as unknown as KubeObject;
  const { uid, name = '', namespace = '', resourceVersion } = object.metadata ?? {};
  if (info === undefined || uid === undefined || resourceVersion === undefined) return undefined;
  const key = `${uid}@${resourceVersion}`;
  const first = !known.has(key);
  known.add(key);
  const sent = (request.body as Partial<KubeObject> | undefined)?.metadata?.resourceVersion;
  // A version that already existed comes from a write that changed nothing.
  if (!first || !isWrite(info.verb) || sent === resourceVersion || request.query['dryRun'] !== undefined)
    return undefined;
  if (info.subresource !== '' && info.subresource !== 'status') return undefined;
  return {
    type: info.verb === 'create' ? 'ADDED' : 'MODIFIED',
    revision: revisionOf(object),
    resource: groupResource(info),
    namespace,
    name,
    uid,
    object,
  };
}

function notesOf(events: readonly AuditEvent[]): readonly string[] {
  const notes = [
    'an audit log holds no watch events: what an actor had seen when it wrote is known from its reads only',
  ];
  const deleted = events.some(({ verb }) => verb === 'delete' || verb === 'deletecollection');
  if (deleted)
    notes.push(
      'an audit log does not show when a deleted object was gone: deletions are operations without a revision',
    );
  for (const [level, lacks] of [
    ['Metadata', 'what was sent and answered'],
    ['Request', 'what was answered'],
  ] as const) {
    const count = events.filter((event) => event.level === level).length;
    if (count > 0)
      notes.push(
        `${count} of ${events.length} requests are logged at level ${level}, which leaves out ${lacks}; log at RequestResponse`,
      );
  }
  return notes;
}

function agentOf({ userAgent, user }: AuditEvent): string {
  return programOf(userAgent ?? user?.username ?? 'unknown');
}

function timeOf(text: string): number {
  return Date.parse(text);
}
