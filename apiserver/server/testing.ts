/**
 * Shared by tests of the server: a server with counted ids and a fixed clock, one-line requests, a widget definition.
 *
 * Used by tests only.
 */
import { crdManifest, crdVersion } from './crd/manifest.ts';
import type { JsonObject, JsonValue, KubeObject } from '../objects/object.ts';
import type { WatchEvent } from '../objects/watch-event.ts';
import type { ApiRequest, ApiResponse, Method } from '../wire/http.ts';
import { ApiServer, type ApiServerOptions } from './server.ts';

/** The time at which the clock starts: 2024-01-01T00:00:00Z. */
export const EPOCH_MS: number = Date.UTC(2024, 0, 1);

export interface TestServer {
  readonly server: ApiServer;
  /** The clock, in epoch milliseconds. */
  readonly clock: { nowMs: number };
  readonly request: (method: Method, path: string, body?: JsonValue, more?: Partial<ApiRequest>) => Answer;
  /** Opens a watch, which collects events as they arrive. */
  readonly watch: (path: string, query?: { readonly [key: string]: string }) => OpenWatch;
}

/** An answer with its body as an object. */
export interface Answer extends ApiResponse {
  readonly object: KubeObject;
}

export interface OpenWatch {
  readonly events: WatchEvent[];
  /** Each event as `ADDED a@7`: type, name and version. */
  readonly lines: readonly string[];
  readonly answers: readonly ApiResponse[];
  ended: boolean;
  close(): void;
}

export interface TestServerOptions extends Partial<ApiServerOptions> {
  readonly widgets?: boolean;
}

export function testServer({ widgets: withWidgets, ...options }: TestServerOptions = {}): TestServer {
  let uids = 0;
  let suffixes = 0;
  const clock = { nowMs: EPOCH_MS };
  const made: TestServer = {
    clock,
    server: new ApiServer({
      now: () => clock.nowMs,
      newUid: () => `uid-${++uids}`,
      nameSuffix: () => String(++suffixes).padStart(5, 'x'),
      ...options,
    }),
    request: (method, path, body, more = {}) => {
      const [bare = '', search = ''] = path.split('?', 2);
      let response: ApiResponse | undefined;
      made.server.send(
        {
          method,
          path: bare,
          query: Object.fromEntries(new URLSearchParams(search)),
          headers: {},
          ...(body === undefined ? {} : { body }),
          ...more,
        },
        { answer: (given) => (response = given), open: () => {}, event: () => {}, end: () => {} },
      );
      if (response === undefined) throw new TypeError(`no answer to ${method} ${path}`);
      return { ...response, object: response.body as KubeObject };
    },
    watch: (path, query = {}) => {
      const events: WatchEvent[] = [];
      const answers: ApiResponse[] = [];
      const open: { -readonly [key in keyof OpenWatch]: OpenWatch[key] } = {
        events,
        answers,
        get lines() {
          return events.map(eventLine);
        },
        ended: false,
        close: () => {},
      };
      open.close = made.server.send(
        { method: 'GET', path, query: { watch: 'true', ...query }, headers: {} },
        {
          answer: (answer) => answers.push(answer),
          open: () => {},
          event: (event) => events.push(event),
          end: () => (open.ended = true),
        },
      );
      return open;
    },
  };
  if (withWidgets !== false) made.server.installCrd(WIDGETS);
  return made;
}

function eventLine(event: WatchEvent): string {
  const { metadata, code } = event.object as { metadata?: { name?: string; resourceVersion?: string }; code?: number };
  if (event.type === 'ERROR') return `ERROR ${String(code)}`;
  return `${event.type} ${metadata?.name ?? '-'}@${metadata?.resourceVersion ?? ''}`;
}

export const MERGE: Partial<ApiRequest> = { headers: { 'content-type': 'application/merge-patch+json' } };
export const JSON_PATCH: Partial<ApiRequest> = { headers: { 'content-type': 'application/json-patch+json' } };

export const WIDGETS_PATH = '/apis/example.com/v1/namespaces/default/widgets';
export const CONFIGMAPS_PATH = '/api/v1/namespaces/default/configmaps';

export function widget(name: string, spec: JsonObject = { size: 1 }, metadata: JsonObject = {}): KubeObject {
  return { apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name, ...metadata }, spec };
}

export function configMap(
  name: string,
  data: { readonly [key: string]: string } = {},
  metadata: JsonObject = {},
): KubeObject {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, ...metadata }, data };
}

/** A definition with status and scale, defaults, an enum, every list type and a second version. */
export const WIDGETS: KubeObject = widgets({
  status: {},
  scale: {
    specReplicasPath: '.spec.replicas',
    statusReplicasPath: '.status.replicas',
    labelSelectorPath: '.status.selector',
  },
});

export function widgets(subresources: JsonObject): KubeObject {
  const schema = {
    type: 'object',
    properties: {
      spec: {
        type: 'object',
        properties: {
          size: { type: 'integer', minimum: 0, maximum: 100 },
          replicas: { type: 'integer', format: 'int32' },
          colour: { type: 'string', enum: ['red', 'blue'], default: 'red' },
          note: { type: 'string', nullable: true, maxLength: 10 },
          labels: { type: 'object', additionalProperties: { type: 'string' } },
          parts: {
            type: 'array',
            items: {
              type: 'object',
              required: ['name'],
              properties: { name: { type: 'string' }, count: { type: 'integer', default: 1 } },
            },
            'x-kubernetes-list-type': 'map',
            'x-kubernetes-list-map-keys': ['name'],
          },
          tags: { type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'set' },
          port: { 'x-kubernetes-int-or-string': true },
          free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
        },
      },
      status: {
        type: 'object',
        properties: { phase: { type: 'string' }, replicas: { type: 'integer' }, selector: { type: 'string' } },
      },
    },
  };
  const more = { subresources, selectableFields: [{ jsonPath: '.spec.colour' }] };
  const names = { plural: 'widgets', singular: 'widget', kind: 'Widget', listKind: 'WidgetList', shortNames: ['wd'] };
  return crdManifest('example.com', names, [
    crdVersion('v1', schema, more),
    crdVersion('v1beta1', schema, { ...more, storage: false }),
  ]);
}
