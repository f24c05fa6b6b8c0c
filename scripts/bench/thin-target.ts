/**
 * A controller without a client library: lists, watches and writes through the harness's own `Upstream`.
 *
 * For benchmarks: it shows the cost of a trial whose target costs almost nothing. Maintains `spec.replicas` ConfigMaps per widget, with
 * names derived from the widget's name, and updates the status through the subresource.
 */
import type { JsonObject, KubeObject } from 'stalemate-apiserver/objects/object';
import type { WatchEvent } from 'stalemate-apiserver/objects/watch-event';
import { call } from 'stalemate-apiserver/wire/call';
import type { ApiRequest, ApiResponse, Upstream } from 'stalemate-apiserver/wire/http';
import type { Incarnation } from '../../harness/execution/run/host.ts';

const WIDGETS = '/apis/example.com/v1/namespaces/default/widgets';
const CHILDREN = '/api/v1/namespaces/default/configmaps';
const JSON_HEADERS = { 'content-type': 'application/json' };

function request(
  method: ApiRequest['method'],
  path: string,
  body?: JsonObject,
  query: ApiRequest['query'] = {},
): ApiRequest {
  return { method, path, query, headers: JSON_HEADERS, ...(body === undefined ? {} : { body }) };
}

/** Starts the thin controller with an upstream. */
export function launchThinTarget(upstream: Upstream): Incarnation {
  let over = false;
  const widgets = new Map<string, KubeObject>();
  const children = new Map<string, KubeObject>();
  const dirty = new Set<string>();
  let working = false;

  const send = (asked: ApiRequest): Promise<ApiResponse> => call(upstream, asked);

  const reconcile = async (name: string): Promise<void> => {
    const widget = widgets.get(name);
    if (widget === undefined) return;
    const replicas = Number((widget['spec'] as JsonObject | undefined)?.['replicas'] ?? 0);
    let ready = 0;
    for (let index = 0; index < replicas; index++) {
      const child = `${name}-${index}`;
      if (children.has(child)) {
        ready++;
        continue;
      }
      const answer = await send(request('POST', CHILDREN, childOf(widget, child)));
      if (answer.code < 300 || answer.code === 409) ready++;
    }
    const status = widget['status'] as JsonObject | undefined;
    if (status?.['ready'] === ready) return;
    const next: JsonObject = { ...widget, status: { ready } };
    const answer = await send(request('PUT', `${WIDGETS}/${name}/status`, next));
    if (answer.code === 409) {
      const fresh = await send(request('GET', `${WIDGETS}/${name}`));
      if (fresh.code === 200) {
        widgets.set(name, fresh.body as KubeObject);
        dirty.add(name);
      }
    }
  };

  const work = async (): Promise<void> => {
    if (working) return;
    working = true;
    for (const name of dirty) {
      dirty.delete(name);
      // Only a broken connection throws here; the next event adds the key again.
      await reconcile(name).catch(() => {});
    }
    working = false;
  };

  const follow = async (
    path: string,
    cache: Map<string, KubeObject>,
    key: (object: KubeObject) => string,
  ): Promise<void> => {
    const list = await send(request('GET', path)).catch(() => undefined);
    if (list === undefined || list.code !== 200) {
      if (!over) void follow(path, cache, key);
      return;
    }
    const body = list.body as JsonObject;
    for (const item of (body['items'] ?? []) as readonly KubeObject[]) {
      cache.set(item.metadata.name ?? '', item);
      dirty.add(key(item));
    }
    const { resourceVersion = '' } = (body as JsonObject & { readonly metadata: { readonly resourceVersion?: string } })
      .metadata;
    upstream.send(request('GET', path, undefined, { watch: 'true', resourceVersion }), {
      answer: () => {},
      open: () => {},
      event: ({ type, object }: WatchEvent) => {
        const item = object as KubeObject;
        if (type === 'DELETED') cache.delete(item.metadata.name ?? '');
        else cache.set(item.metadata.name ?? '', item);
        dirty.add(key(item));
        void work();
      },
      end: () => {
        if (!over) void follow(path, cache, key);
      },
    });
    void work();
  };
  void follow(WIDGETS, widgets, (object) => object.metadata.name ?? '');
  void follow(CHILDREN, children, (object) => (object.metadata.name ?? '').replace(/-\d+$/, ''));
  return {
    crash: () => {
      over = true;
    },
  };
}

function childOf(widget: KubeObject, name: string): JsonObject {
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: {
      name,
      namespace: 'default',
      ownerReferences: [
        {
          apiVersion: widget.apiVersion,
          kind: widget.kind,
          name: widget.metadata.name ?? '',
          uid: widget.metadata.uid ?? '',
          controller: true,
        },
      ],
    },
    data: { of: widget.metadata.name ?? '' },
  };
}

/** The custom resource of the thin controller. */
export const WIDGET_CRD: KubeObject = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'widgets.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { plural: 'widgets', singular: 'widget', kind: 'Widget', listKind: 'WidgetList' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: {
              spec: {
                type: 'object',
                properties: { replicas: { type: 'integer', minimum: 0 }, image: { type: 'string' } },
              },
              status: { type: 'object', properties: { ready: { type: 'integer' } } },
            },
          },
        },
      },
    ],
  },
};

export const WIDGET_SAMPLE: KubeObject = {
  apiVersion: 'example.com/v1',
  kind: 'Widget',
  metadata: { name: 'a', namespace: 'default' },
  spec: { replicas: 2, image: 'v1' },
};
