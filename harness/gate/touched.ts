/** The object or collection of a request, and the selector that distinguishes a watch from other watches of the same collection. */
import type { JsonObject, KubeObject } from 'stalemate-apiserver/objects/object';
import type { ApiRequest } from 'stalemate-apiserver/wire/http';
import type { OpenOperation } from './recorder.ts';

/**
 * Returns `pods/default/a`, `pods/default/` for a collection, `pods//` for the collection of all namespaces; empty for watches and
 * non-resource requests.
 */
export function touched(resource: string, namespace: string, name: string, operation: OpenOperation): string {
  if (resource === '' || operation.verb === 'watch') return '';
  if (operation.verb === 'create') {
    const metadata = (operation.body as JsonObject | undefined)?.['metadata'] as KubeObject['metadata'] | undefined;
    return `${resource}/${namespace}/${metadata?.name ?? ''}`;
  }
  return `${resource}/${namespace}/${name}`;
}

/** Returns the selectors of a watch, as formatted in its label. */
export function selectorOf(query: ApiRequest['query']): string {
  const label = query['labelSelector'];
  const field = query['fieldSelector'];
  return [label, field].filter((part) => part !== undefined && part !== '').join('&');
}
