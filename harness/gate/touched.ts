/** What a request is about: the object or collection that it touches, and the selector by which a watch is distinguished from others. */
import type { JsonObject, KubeObject } from 'stalemate-apiserver/objects/object';
import type { ApiRequest } from 'stalemate-apiserver/wire/http';
import type { OpenOperation } from './recorder.ts';

/** `pods/default/a`, `pods/default/` for a collection, `pods//` for one of all namespaces; empty for watches and for what is no resource. */
export function touched(resource: string, namespace: string, name: string, operation: OpenOperation): string {
  if (resource === '' || operation.verb === 'watch') return '';
  if (operation.verb === 'create') {
    const metadata = (operation.body as JsonObject | undefined)?.['metadata'] as KubeObject['metadata'] | undefined;
    return `${resource}/${namespace}/${metadata?.name ?? ''}`;
  }
  return `${resource}/${namespace}/${name}`;
}

/** The selectors of a watch as its label spells them. */
export function selectorOf(query: ApiRequest['query']): string {
  const label = query['labelSelector'];
  const field = query['fieldSelector'];
  return [label, field].filter((part) => part !== undefined && part !== '').join('&');
}
