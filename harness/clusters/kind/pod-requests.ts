/** Requests about pods that the harness itself sends to an API server, bypassing the gate. Start at {@link PodRequests}. */
import { mapOf, mapsOf, textOf } from 'stalemate-apiserver/objects/json';
import type { JsonObject, KubeObject } from 'stalemate-apiserver/objects/object';
import type { ApiRequest, ApiResponse, Method } from 'stalemate-apiserver/wire/http';
import { RemoteServer } from '../../gate/http/remote.ts';
import { remoteUpstream, type RemoteUpstream } from '../../gate/http/remote-upstream.ts';
import type { KindAccess } from '../../model/kind-options.ts';
import { readKubeconfig } from '../existing/kubeconfig-file.ts';
import { ask } from '../real/own-requests.ts';

const NOTHING = (): void => {};
/** The number of latest kubelet events to read for a pod. */
const EVENTS_MAX = 5;
/** The status for a resourceVersion that has expired. */
const GONE = 410;

export class PodRequests {
  readonly #remote: RemoteServer;
  readonly #upstream: RemoteUpstream;

  constructor({ kubeconfig, context }: Pick<KindAccess, 'kubeconfig' | 'context'>) {
    this.#remote = new RemoteServer(readKubeconfig(kubeconfig, context).remote);
    this.#upstream = remoteUpstream(this.#remote);
  }

  /** Creates an object; resolves with the reason if it was rejected. */
  async create(resource: string, object: KubeObject): Promise<string | undefined> {
    const { code, body } = await this.#ask('POST', pathOf(resource, object, false), object);
    if (code < 300) return undefined;
    return `the API server answered ${code} to its ${object.kind}: ${textOf(mapOf(body)['message'])}`;
  }

  async remove(resource: string, object: KubeObject): Promise<void> {
    const now = { apiVersion: 'v1', kind: 'DeleteOptions', gracePeriodSeconds: 0 };
    await this.#ask('DELETE', pathOf(resource, object), now);
  }

  /** Calls `seen` with every state of a pod from now on, until the returned function is called. */
  watch(pod: KubeObject, seen: (now: KubeObject) => void, lost: (why: string) => void): () => void {
    let latest: { readonly resourceVersion?: string } = {};
    let isOver = false;
    let cancel = NOTHING;
    const query = { fieldSelector: `metadata.name=${pod.metadata.name ?? ''}` };
    const path = pathOf('pods', pod, false);
    const lose = (why: string): void => {
      if (isOver) return;
      isOver = true;
      cancel();
      lost(why);
    };
    const failed = (why: unknown): void => lose(`its pod could not be watched (${String(why)})`);
    /** Lists the pod: changes missed between watches appear only in a list, and one of them may be the pod's deletion. */
    const relist = async (): Promise<void> => {
      const { code, body } = await this.#ask('GET', path, undefined, query);
      if (isOver) return;
      if (code !== 200) return failed(code);
      const [now] = mapsOf(mapOf(body)['items']);
      if (now === undefined) return lose('its pod was deleted');
      latest = { resourceVersion: textOf(mapOf(mapOf(body)['metadata'])['resourceVersion']) };
      seen({ apiVersion: 'v1', kind: 'Pod', ...now } as KubeObject);
      open();
    };
    const expired = (code: unknown): void => {
      if (code === GONE) void relist().catch(failed);
      else failed(code);
    };
    const open = (): void => {
      if (isOver) return;
      let isRefused = false;
      cancel = this.#upstream.send(
        { method: 'GET', path, headers: {}, query: { ...query, watch: '1', ...latest } },
        {
          open: NOTHING,
          answer: ({ code }) => {
            isRefused = true;
            expired(code);
          },
          event: ({ type, object }) => {
            if (isRefused || isOver) return;
            const { resourceVersion } = (object as Partial<KubeObject>).metadata ?? {};
            if (resourceVersion !== undefined) latest = { resourceVersion };
            if (type === 'DELETED') lose('its pod was deleted');
            else if (type === 'ADDED' || type === 'MODIFIED') seen(object as KubeObject);
            else if (type === 'ERROR') {
              isRefused = true;
              cancel();
              expired(mapOf(object)['code']);
            }
          },
          // Watches end after minutes, which is not an error.
          end: (error) => {
            if (isRefused) return;
            if (error === undefined) open();
            else failed(error.message);
          },
        },
      );
    };
    open();
    return () => {
      isOver = true;
      cancel();
    };
  }

  /** Streams the log of a container, until it ends or the returned function is called. */
  follow(pod: KubeObject, container: string, printed: (piece: string) => void, done: () => void): () => void {
    const target = `${pathOf('pods', pod)}/log?follow=true&container=${container}`;
    const connection = this.#remote.http1('configured');
    const head = this.#remote.addressed({ method: 'GET', target, headers: [] }, 'configured', true);
    const decoder = new TextDecoder();
    let isText = false;
    const exchange = connection.open(head, false, {
      head: ({ code }) => {
        isText = code === 200;
      },
      data: (piece) => {
        if (isText) printed(decoder.decode(piece, { stream: true }));
      },
      end: done,
      fail: done,
    });
    return () => {
      exchange.abort();
      connection.close();
    };
  }

  /** Resolves with the kubelet's warnings, phrased as the end of a sentence. */
  async complaints(pod: KubeObject): Promise<string> {
    const { namespace = '', name = '' } = pod.metadata;
    const query = { fieldSelector: `involvedObject.name=${name},type=Warning` };
    const { body } = await this.#ask('GET', `/api/v1/namespaces/${namespace}/events`, undefined, query);
    const lines = mapsOf(mapOf(body)['items']).map(
      (event) => `\n  ${textOf(event['reason'])}: ${textOf(event['message'])}`,
    );
    return lines.length === 0 ? '' : `; its events:${[...new Set(lines)].slice(-EVENTS_MAX).join('')}`;
  }

  #ask(method: Method, path: string, body?: JsonObject, query?: ApiRequest['query']): Promise<ApiResponse> {
    return ask(this.#upstream, method, path, body, query);
  }
}

function pathOf(resource: string, { metadata: { namespace = '', name = '' } }: KubeObject, isNamed = true): string {
  return `/api/v1/namespaces/${namespace}/${resource}${isNamed ? `/${name}` : ''}`;
}
