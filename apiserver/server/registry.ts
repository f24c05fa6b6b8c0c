/**
 * The served resources: built-in kinds plus the installed custom resource definitions.
 *
 * Owns: looking up a definition by path or by kind. Immutable: a change of a definition creates a new registry.
 */
import { parseApiVersion, type KubeObject, type ResourceKind } from '../objects/object.ts';
import { resourceKindOf, type ResourceDefinition, type ServedVersion } from './definition.ts';
import type { Route } from './route.ts';
import { methodsAt } from './routing.ts';

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

  /** Returns a resource by its name and group: `pods` or `widgets.example.com`. */
  byResource(gr: string): ResourceDefinition | undefined {
    return this.#byResource.get(gr);
  }

  byKind(apiVersion: string, kind: string): readonly [ResourceDefinition, ServedVersion] | undefined {
    return this.#byKind.get(`${apiVersion}/${kind}`);
  }

  /** Returns the definition of the resource that an object is stored as, including versions that are not served. */
  storing({ apiVersion, kind }: KubeObject): ResourceDefinition {
    const definition =
      this.byKind(apiVersion, kind)?.[0] ??
      this.definitions.find((one) => one.kind === kind && one.versions.some((of) => of.apiVersion === apiVersion));
    if (definition === undefined) throw new TypeError(`expected a served kind, got ${apiVersion} ${kind}`);
    return definition;
  }

  /** Returns all served resources. The storage version of each comes first, because it needs no conversion. */
  resourceKinds(): ResourceKind[] {
    return this.definitions.flatMap((definition) =>
      definition.versions
        .filter((version) => version.served)
        .toSorted((a, b) => Number(a.stored !== undefined) - Number(b.stored !== undefined))
        .map((version) => ({
          ...resourceKindOf(definition, version),
          group: parseApiVersion(version.apiVersion).group,
        })),
    );
  }

  kindFor(apiVersion: string, kind: string): ResourceKind | undefined {
    const found = this.byKind(apiVersion, kind);
    return found === undefined ? undefined : { ...resourceKindOf(...found), group: parseApiVersion(apiVersion).group };
  }

  /** Returns the resource that the path names; undefined when the path is not served. */
  route(path: string): Route | undefined {
    const known = this.#routes.get(path);
    if (known !== undefined || this.#routes.has(path)) return known;
    const route = this.#parse(path);
    if (this.#routes.size > 10_000) this.#routes.clear();
    this.#routes.set(path, route);
    return route;
  }

  #parse(path: string): Route | undefined {
    const core = path.startsWith('/api/');
    if (!core && !path.startsWith('/apis/')) return undefined;
    const parts = path
      .replace(/^\/|\/+$/g, '')
      .split('/')
      .map(unescaped);
    const apiVersion = core ? (parts[1] ?? '') : `${parts[1] ?? ''}/${parts[2] ?? ''}`;
    if (parseApiVersion(apiVersion).version === '') return undefined;
    const all = parts.slice(core ? 2 : 3);
    let rest: readonly string[] = all;
    const watching = rest[0] === 'watch' && rest.length > 1;
    if (watching) rest = rest.slice(1);
    let namespace = '';
    // In `/namespaces/x/pods` the namespace is a prefix; `/namespaces/x` and `/namespaces/x/status|finalize` name the Namespace object
    // itself.
    if (rest[0] === 'namespaces' && rest.length > 2 && rest[2] !== 'status' && rest[2] !== 'finalize') {
      namespace = rest[1] ?? '';
      rest = rest.slice(2);
    }
    const [resource = '', name = '', subresource = ''] = rest;
    const entry = this.#byPath.get(`${apiVersion}/${resource}`);
    if (entry === undefined) return undefined;
    const [definition, version] = entry;
    if (definition.custom) {
      // Segments after a subresource are ignored.
      const misplaced = definition.namespaced ? name !== '' && namespace === '' && !watching : namespace !== '';
      return misplaced ? undefined : { definition, version, namespace, name, subresource, watching };
    }
    const methods = methodsAt(apiVersion, all);
    return methods && { definition, version, namespace, name, subresource, watching, methods };
  }
}

/** Decodes one segment of a path. */
function unescaped(segment: string): string {
  if (!segment.includes('%')) return segment;
  try {
    return decodeURIComponent(segment);
  } catch {
    const bytes = segment.replace(/%([\da-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
    return new TextDecoder().decode(Uint8Array.from(bytes, (char) => char.charCodeAt(0)));
  }
}
