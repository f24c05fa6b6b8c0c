/**
 * Which resources are served: built-in kinds plus the custom resource definitions of the moment.
 *
 * Owns: looking up a definition by path or by kind. Immutable: a change of a definition makes a new registry.
 */
import { parseApiVersion } from '../model/object.ts';
import type { ResourceDefinition, ServedVersion } from './definition.ts';

/** What a path names. */
export interface Route {
  readonly definition: ResourceDefinition;
  readonly version: ServedVersion;
  readonly namespace: string;
  /** Empty for collections. */
  readonly name: string;
  readonly subresource: string;
  /** Legacy `/watch/` path: the verb is watch whatever the query says. */
  readonly watching: boolean;
}

export class Registry {
  readonly definitions: readonly ResourceDefinition[];
  readonly #byResource = new Map<string, ResourceDefinition>();
  readonly #byPath = new Map<string, readonly [ResourceDefinition, ServedVersion]>();
  readonly #byKind = new Map<string, readonly [ResourceDefinition, ServedVersion]>();
  readonly #routes = new Map<string, Route | undefined>();

  constructor(definitions: readonly ResourceDefinition[]) {
    this.definitions = definitions;
    for (const definition of definitions) {
      if (!this.#byResource.has(definition.gr)) this.#byResource.set(definition.gr, definition);
      for (const version of definition.versions) {
        if (!version.served) continue;
        const entry = [definition, version] as const;
        this.#byPath.set(`${version.apiVersion}/${definition.resource}`, entry);
        this.#byKind.set(`${version.apiVersion}/${definition.kind}`, entry);
      }
    }
  }

  /** By `pods` or `widgets.example.com`. */
  byResource(gr: string): ResourceDefinition | undefined {
    return this.#byResource.get(gr);
  }

  byKind(apiVersion: string, kind: string): readonly [ResourceDefinition, ServedVersion] | undefined {
    return this.#byKind.get(`${apiVersion}/${kind}`);
  }

  /** What the path names; undefined when nothing is served there. */
  route(path: string): Route | undefined {
    const known = this.#routes.get(path);
    if (known !== undefined || this.#routes.has(path)) return known;
    const route = this.#parse(path);
    if (this.#routes.size > 10_000) this.#routes.clear();
    this.#routes.set(path, route);
    return route;
  }

  #parse(path: string): Route | undefined {
    let parts: string[];
    try {
      parts = path
        .split('/')
        .filter((part) => part !== '')
        .map(decodeURIComponent);
    } catch {
      return undefined;
    }
    const core = parts[0] === 'api';
    if (!core && parts[0] !== 'apis') return undefined;
    const apiVersion = core ? (parts[1] ?? '') : `${parts[1] ?? ''}/${parts[2] ?? ''}`;
    if (parseApiVersion(apiVersion).version === '') return undefined;
    let rest = parts.slice(core ? 2 : 3);
    const watching = rest[0] === 'watch' && rest.length > 1;
    if (watching) rest = rest.slice(1);
    let namespace = '';
    // `/namespaces/x/pods` is namespaced; `/namespaces/x` and `/namespaces/x/status|finalize` are the kind itself.
    if (rest[0] === 'namespaces' && rest.length > 2 && rest[2] !== 'status' && rest[2] !== 'finalize') {
      namespace = rest[1] ?? '';
      rest = rest.slice(2);
    }
    const [resource = '', name = '', subresource = ''] = rest;
    const entry = this.#byPath.get(`${apiVersion}/${resource}`);
    if (entry === undefined || rest.length > 3) return undefined;
    const [definition, version] = entry;
    if (definition.namespaced ? name !== '' && namespace === '' : namespace !== '') return undefined;
    return { definition, version, namespace, name, subresource, watching };
  }
}
