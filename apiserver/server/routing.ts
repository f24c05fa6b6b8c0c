/**
 * The supported methods of paths of the built-in groups, as in a real server's router, and the refusal of other methods.
 *
 * Owns: the templates that a real server derives from its discovery (`kinds/discovery-data.ts`), and refusals before any resource handler.
 * Does not own: stored resources (`registry.ts`). Start at {@link methodsAt} and {@link unroutable}.
 */
import { DISCOVERED, type DiscoveredResource } from './kinds/discovery-data.ts';
import { badRequest, methodNotAllowed, NO_METHOD, notFound, UNKNOWN_PATH, type Refusal } from './refusal.ts';
import type { Route } from './route.ts';

const METHOD_OF: { readonly [verb: string]: string } = {
  get: 'GET',
  list: 'GET',
  create: 'POST',
  update: 'PUT',
  patch: 'PATCH',
  delete: 'DELETE',
  deletecollection: 'DELETE',
};
const ON_COLLECTIONS: ReadonlySet<string> = new Set(['list', 'create', 'deletecollection']);
const ON_OBJECTS: ReadonlySet<string> = new Set(['get', 'update', 'patch', 'delete']);
/** The methods of paths that are proxied to a kubelet or a pod: all of them, also for any longer path. */
const PROXY: ReadonlySet<string> = new Set(['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS']);
const ONLY_GET: ReadonlySet<string> = new Set(['GET']);
const NONE: ReadonlySet<string> = new Set();

interface AllowedMethods {
  readonly namespaced: boolean;
  readonly watched: boolean;
  readonly collection: ReadonlySet<string>;
  readonly object: ReadonlySet<string>;
  readonly subresources: ReadonlyMap<string, ReadonlySet<string>>;
}

let places: ReadonlyMap<string, AllowedMethods> | undefined;

/** Reports whether the version of a group is served by the router of built-in kinds. */
export function isBuiltIn(apiVersion: string): boolean {
  return allPlaces().has(apiVersion);
}

/**
 * Returns the methods of a path below `/api/V` or `/apis/G/V` of a built-in group; undefined when no template matches. `rest`: the path's
 * segments after the version. Empty segments match parameters too.
 */
export function methodsAt(apiVersion: string, rest: readonly string[]): ReadonlySet<string> | undefined {
  const watching = rest[0] === 'watch';
  const [, , ...within] = watching ? ['', ...rest] : ['', '', ...rest];
  const spaced = within[0] === 'namespaces' && within.length > 2 && within[2] !== 'status' && within[2] !== 'finalize';
  const [resource = '', name, sub, ...more] = spaced ? within.slice(2) : within;
  const place = allPlaces().get(`${apiVersion}/${resource}`);
  if (place === undefined) return undefined;
  const across = place.namespaced && !spaced;
  if (spaced && !place.namespaced) return undefined;
  if (watching) return place.watched && sub === undefined && !(across && name !== undefined) ? ONLY_GET : undefined;
  if (across) return name === undefined && place.collection.has('GET') ? ONLY_GET : undefined;
  if (name === undefined) return some(place.collection);
  if (sub === undefined) return some(place.object);
  const methods = place.subresources.get(sub);
  return more.length > 0 && methods !== PROXY ? undefined : methods;
}

function some(methods: ReadonlySet<string>): ReadonlySet<string> | undefined {
  return methods.size === 0 ? undefined : methods;
}

function allPlaces(): ReadonlyMap<string, AllowedMethods> {
  if (places !== undefined) return places;
  const all = new Map<string, AllowedMethods>();
  for (const { group, versions } of DISCOVERED)
    for (const { version, resources } of versions) {
      const apiVersion = group === '' ? version : `${group}/${version}`;
      // An entry for the version itself, which {@link isBuiltIn} looks up.
      all.set(apiVersion, NOWHERE);
      for (const resource of resources) all.set(`${apiVersion}/${resource.resource}`, placeOf(resource));
    }
  places = all;
  return all;
}

const NOWHERE: AllowedMethods = {
  namespaced: false,
  watched: false,
  collection: NONE,
  object: NONE,
  subresources: new Map(),
};

function placeOf({ scope, verbs, subresources = [] }: DiscoveredResource): AllowedMethods {
  return {
    namespaced: scope === 'Namespaced',
    watched: verbs.includes('watch'),
    collection: methods(verbs.filter((verb) => ON_COLLECTIONS.has(verb))),
    object: methods(verbs.filter((verb) => ON_OBJECTS.has(verb))),
    subresources: new Map(
      subresources.map((one) => [one.subresource, one.subresource === 'proxy' ? PROXY : methods(one.verbs)]),
    ),
  };
}

function methods(verbs: readonly string[]): ReadonlySet<string> {
  return new Set(verbs.map((verb) => METHOD_OF[verb] ?? ''));
}

/** The methods that custom resources support across all namespaces. */
const READING: ReadonlySet<string> = new Set(['GET', 'HEAD']);
const PART_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'PUT', 'PATCH']);
const VERBS: { readonly [method: string]: string } = { POST: 'create', DELETE: 'delete' };

/** Returns the error for a resource that does not support the request's method, scope or subresource; undefined when there is none. */
export function unroutable(route: Route, method: string): Refusal | undefined {
  const { definition, version, namespace, name, subresource } = route;
  if (!definition.custom) return route.methods?.has(method) === false ? NO_METHOD : undefined;
  // Across all namespaces, custom resources can only be read.
  if (definition.namespaced && namespace === '' && !READING.has(method)) return UNKNOWN_PATH;
  if (subresource === '') return method in METHODS ? undefined : methodNotAllowed(definition, '');
  if (!version.subresources.has(subresource)) return notFound(definition, name);
  return PART_METHODS.has(method) ? undefined : methodNotAllowed(definition, VERBS[method] ?? '');
}

/** Returns the answer to a read or a deletion whose name or namespace no object can have. */
export function unstorable(route: Route, method: string): Refusal | undefined {
  const { definition, namespace, name, subresource, watching } = route;
  if (method !== 'GET' && method !== 'DELETE') return undefined;
  if (name === '' || subresource !== '' || watching) return undefined;
  if (definition.namespaced && namespace === '') return badRequest('Namespace parameter required.');
  if (name !== '.' && name !== '..' && !/[%/]/.test(name)) return undefined;
  const why = name.startsWith('.') ? `may not be '${name}'` : `may not contain '${name.includes('/') ? '/' : '%'}'`;
  return badRequest(`Name parameter invalid: ${JSON.stringify(name)}: ${why}`);
}

const METHODS = { GET: true, HEAD: true, POST: true, PUT: true, PATCH: true, DELETE: true };
