/**
 * GET of one object and of collections, now or at a past version.
 *
 * Owns: resourceVersion, resourceVersionMatch, limit and continue (k8s.io/apiserver `storage/continue.go`,
 * `metainternalversion/validation`). Selectors are compiled in {@link selection}, which watches use as well.
 */
import type { JsonObject, KubeObject } from '../../objects/object.ts';
import type { ApiResponse } from '../../wire/http.ts';
import type { FieldReader, ResourceDefinition, ServedVersion } from '../definition.ts';
import type { Kernel } from '../kernel.ts';
import type { Call } from '../call.ts';
import {
  badRequest,
  expired,
  fieldForbidden,
  invalid,
  notFound,
  rawError,
  Refusal,
  refuse,
  tooLargeVersion,
  type FieldError,
} from '../refusal.ts';
import {
  compileFields,
  labelsMatch,
  parseFieldSelector,
  parseLabelSelector,
  type ObjectMatcher,
} from '../selectors.ts';
import type { LabelMatcher } from '../label-selector.ts';
import { rowKey } from '../store.ts';

const NUMBER = /^\d+$/;

/** Reports whether a resource has no watch cache, like events. */
function isUncached({ resource, custom }: ResourceDefinition): boolean {
  return resource === 'events' && !custom;
}

/** Returns the detail of "invalid resource version" messages. */
export function versionSyntax(text: string): string {
  return `resourceVersion: Invalid value: ${JSON.stringify(text)}: strconv.ParseUint: parsing ${JSON.stringify(text)}: invalid syntax`;
}

/** Handles GET of one object. */
export function get(kernel: Kernel, call: Call): ApiResponse {
  const { definition, version, namespace, name } = call.route;
  const asked = call.request.query['resourceVersion'];
  if (asked !== undefined && asked !== '' && asked !== '0') {
    if (!NUMBER.test(asked)) {
      // The watch cache and the store have different messages.
      return isUncached(definition)
        ? badRequest(`invalid resource version: ${versionSyntax(asked)}`)
        : rawError(versionSyntax(asked));
    }
    if (Number(asked) > kernel.store.revision) return tooLargeVersion(Number(asked), kernel.store.revision);
  }
  const object = kernel.store.get(definition.gr, rowKey(namespace, name));
  if (object === undefined) return notFound(definition, name);
  return { code: 200, body: version.fromStorage(object) };
}

/** The selectors of a list or watch within its namespace. */
export interface Selection {
  readonly labels: LabelMatcher | undefined;
  readonly fields: ObjectMatcher | undefined;
}

const EVERYTHING: Selection = { labels: undefined, fields: undefined };

const META_FIELDS: { readonly [label: string]: FieldReader } = {
  'metadata.name': (object) => object.metadata.name ?? '',
  'metadata.namespace': (object) => object.metadata.namespace ?? '',
};

/** Compiles the selectors of a request. */
export function selection(call: Call): Selection | Refusal {
  const { labelSelector = '', fieldSelector = '' } = call.request.query;
  const { definition, version, name } = call.route;
  if (labelSelector === '' && fieldSelector === '' && name === '') return EVERYTHING;
  const labels = parseLabelSelector(labelSelector);
  if (typeof labels === 'string') return badRequest(labels);
  const terms = parseFieldSelector(fieldSelector);
  if (typeof terms === 'string') return badRequest(terms);
  for (const term of terms)
    if (readerFor(version, term.label) === undefined) return unknownField(definition, version, term.label);
  const exact = terms.find((term) => term.equal && term.label === 'metadata.name');
  if (name !== '' && terms.length > 0 && exact?.value !== name)
    return badRequest(`fieldSelector metadata.name doesn't match requested name`);
  const all = name === '' ? terms : [...terms, { label: 'metadata.name', value: name, equal: true }];
  return { labels, fields: compileFields(all, (label) => readerFor(version, label)) };
}

function readerFor(version: ServedVersion, label: string): FieldReader | undefined {
  return Object.hasOwn(META_FIELDS, label)
    ? META_FIELDS[label]
    : Object.hasOwn(version.fields, label)
      ? version.fields[label]
      : undefined;
}

function unknownField(definition: ResourceDefinition, version: ServedVersion, label: string): Refusal {
  if (definition.gr === 'jobs.batch') return badRequest(`field label ${JSON.stringify(label)} not supported for Job`);
  if (definition.custom) return badRequest(`field label not supported: ${label}`);
  if (Object.keys(version.fields).length > 0) return badRequest(`field label not supported: ${label}`);
  return badRequest(`"${label}" is not a known field selector: only "metadata.name", "metadata.namespace"`);
}

export function selected(selection: Selection, object: KubeObject): boolean {
  return labelsMatch(selection.labels, object) && (selection.fields === undefined || selection.fields(object));
}

export const LIST_OPTIONS: { readonly group: string; readonly kind: string } = {
  group: 'meta.k8s.io',
  kind: 'ListOptions',
};

/** The validated options of a list. */
interface ListAsk {
  /** The version at which to list; undefined for the latest. */
  readonly at: number | undefined;
  readonly limit: number;
  /** The key at which to start; empty for the first page. */
  readonly start: string;
}

/** Handles GET of a collection. */
export function list(kernel: Kernel, call: Call): ApiResponse {
  const { definition, version } = call.route;
  const unwanted = listRefusal(call);
  if (unwanted !== undefined) return unwanted;
  const picked = selection(call);
  if (picked instanceof Refusal) return picked;
  const ask = listAsk(kernel, call);
  if (ask instanceof Refusal) return ask;

  const latest = kernel.store.revision;
  const revision = ask.at ?? latest;
  const { items, remaining, more } =
    picked === EVERYTHING && revision === latest && ask.limit > 0
      ? pageOf(kernel, call, ask)
      : chosen(kernel, call, ask, picked);
  // Lists of custom resources always have `continue`, because their type has no omitempty.
  const metadata: { [key: string]: string | number } = {
    ...(definition.custom ? { continue: '' } : {}),
    resourceVersion: String(revision),
  };
  if (remaining > 0 && more !== undefined && !isSingle(call)) {
    metadata['continue'] = continueToken(revision, isUncached(definition) ? more : `/${more}`);
    if (picked === EVERYTHING) metadata['remainingItemCount'] = remaining;
  }
  const body: JsonObject = { apiVersion: version.apiVersion, kind: definition.listKind, metadata, items };
  return { code: 200, body };
}

/** Items of a list, the number of stored objects after them, and the start of the next page. */
interface Part {
  readonly items: readonly KubeObject[];
  readonly remaining: number;
  readonly more: string | undefined;
}

/** Returns a page of all current objects, without reading the objects after it. */
function pageOf({ store }: Kernel, { route }: Call, { start, limit }: ListAsk): Part {
  const { definition, version, namespace } = route;
  const from = namespace === '' && definition.namespaced ? start : rowKey(namespace, start);
  const { objects, remaining } = store.page(definition.gr, namespace, from, limit);
  version.prepare?.(objects);
  const last = objects.at(-1);
  return {
    items: objects.map((object) => version.fromStorage(object)),
    remaining,
    more: last === undefined ? undefined : after(route, last),
  };
}

/** Returns the selected objects of the current list or of a past one. */
function chosen({ store }: Kernel, { route }: Call, { at, start, limit }: ListAsk, picked: Selection): Part {
  const { definition, version, namespace } = route;
  const stored = at === undefined ? store.list(definition.gr, namespace) : store.listAt(definition.gr, namespace, at);
  version.prepare?.(stored);
  const items: KubeObject[] = [];
  let more: string | undefined;
  let remaining = 0;
  for (const object of stored) {
    if (start !== '' && keyOf(route, object) < start) continue;
    // The selectors are not applied to the remaining objects, so the next page may be empty.
    if (limit > 0 && items.length >= limit) {
      remaining++;
      continue;
    }
    const shown = version.fromStorage(object);
    if (picked !== EVERYTHING && !selected(picked, shown)) continue;
    items.push(shown);
    more = after(route, object);
  }
  return { items, remaining, more };
}

/** Returns the sort key of an object. */
function keyOf({ definition, namespace }: Call['route'], { metadata }: KubeObject): string {
  const { namespace: home = '', name = '' } = metadata;
  return namespace === '' && definition.namespaced ? rowKey(home, name) : name;
}

/** Returns the key at which the next page starts: right after the last returned key. */
function after(route: Call['route'], last: KubeObject): string {
  return `${keyOf(route, last)}\0`;
}

/** Reports whether at most one object can match. A real server then gets it by name, and there is no next page. */
function isSingle({ request, route }: Call): boolean {
  const { fieldSelector = '', continue: token = '' } = request.query;
  if (
    token !== '' ||
    !fieldSelector.includes('metadata.name') ||
    (route.definition.namespaced && route.namespace === '')
  )
    return false;
  const terms = parseFieldSelector(fieldSelector);
  return typeof terms !== 'string' && terms.some(({ label, equal }) => label === 'metadata.name' && equal);
}

const STALE_LIST = 'The resourceVersion for the provided list is too old.';
const STALE_CONTINUE =
  'The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.';

/** Returns the refusal of an invalid query. As in kube-apiserver, it checks numbers, then selector syntax, then validation rules. */
export function listRefusal(call: Call): Refusal | undefined {
  const { query } = call.request;
  const syntax = querySyntax(query);
  if (syntax !== undefined) return badRequest(syntax);
  const { resourceVersion: asked = '', resourceVersionMatch: match = '' } = query;
  const errors = listErrors(asked, match, query['continue'] ?? '', query);
  return errors.length === 0 ? undefined : invalid(LIST_OPTIONS, '', errors);
}

const INTEGER = /^[+-]?\d+$/;

/** Returns the error in the query of a list or watch; undefined when it is valid. */
export function querySyntax(query: { readonly [key: string]: string }): string | undefined {
  for (const key of ['timeoutSeconds', 'limit'] as const) {
    const text = query[key] ?? '';
    if (text !== '' && !INTEGER.test(text)) return `strconv.ParseInt: parsing ${JSON.stringify(text)}: invalid syntax`;
  }
  const labels = parseLabelSelector(query['labelSelector'] ?? '');
  if (typeof labels === 'string') return labels;
  const fields = parseFieldSelector(query['fieldSelector'] ?? '');
  return typeof fields === 'string' ? fields : undefined;
}

function listAsk(kernel: Kernel, call: Call): ListAsk | Refusal {
  const { query } = call.request;
  const { resourceVersion: asked = '', resourceVersionMatch: match = '', limit: rawLimit = '' } = query;
  const token = query['continue'] ?? '';
  const limit = Number(rawLimit);
  if (token !== '') return continued(kernel, token, asked, limit);
  if (asked === '') return { at: undefined, limit, start: '' };
  if (!NUMBER.test(asked)) return badRequest(`invalid resource version: ${versionSyntax(asked)}`);
  const number = Number(asked);
  // Version 0 means any version; the watch cache then ignores limits.
  if (number === 0) return { at: undefined, limit: isUncached(call.route.definition) ? limit : 0, start: '' };
  if (number > kernel.store.revision) return tooLargeVersion(number, kernel.store.revision);
  const exact = match === 'Exact' || (match === '' && limit > 0);
  if (!exact) return { at: undefined, limit, start: '' };
  if (number < kernel.store.floor) return expired(STALE_LIST);
  return { at: number, limit, start: '' };
}

function listErrors(
  asked: string,
  match: string,
  token: string,
  query: { readonly [key: string]: string },
): readonly FieldError[] {
  const errors: FieldError[] = [];
  if (match !== '') {
    if (asked === '')
      errors.push(
        fieldForbidden('resourceVersionMatch', 'resourceVersionMatch is forbidden unless resourceVersion is provided'),
      );
    if (token !== '')
      errors.push(
        fieldForbidden('resourceVersionMatch', 'resourceVersionMatch is forbidden when continue is provided'),
      );
    if (match !== 'Exact' && match !== 'NotOlderThan')
      errors.push({
        type: 'NotSupported',
        field: 'resourceVersionMatch',
        value: match,
        detail: 'supported values: "Exact", "NotOlderThan", ""',
      });
    if (match === 'Exact' && asked === '0')
      errors.push(
        fieldForbidden('resourceVersionMatch', 'resourceVersionMatch "exact" is forbidden for resourceVersion "0"'),
      );
  }
  if (query['sendInitialEvents'] !== undefined)
    errors.push(fieldForbidden('sendInitialEvents', 'sendInitialEvents is forbidden for list'));
  return errors;
}

function continued(kernel: Kernel, token: string, asked: string, limit: number): ListAsk | Refusal {
  const parsed = parseToken(token);
  if (typeof parsed === 'string') return badRequest(`invalid continue token: ${parsed}`);
  if (asked !== '' && asked !== '0')
    return badRequest('specifying resource version is not allowed when using continue');
  // Revision -1: the previous token had expired, and the client continues with an inconsistent list.
  if (parsed.revision === -1) return { at: undefined, limit, start: parsed.start };
  if (parsed.revision < kernel.store.floor) {
    const status = expired(STALE_CONTINUE).body as JsonObject;
    const next = continueToken(-1, `/${parsed.start}`);
    return new Refusal(410, { ...status, metadata: { continue: next } });
  }
  if (parsed.revision > kernel.store.revision)
    return refuse(400, 'BadRequest', 'invalid continue token: from the future');
  return { at: parsed.revision, limit, start: parsed.start };
}

/** Returns a continue token: base64url without padding, as kube-apiserver encodes it. */
function continueToken(revision: number, start: string): string {
  return toBase64Url(JSON.stringify({ v: 'meta.k8s.io/v1', rv: revision, start }));
}

function toBase64Url(text: string): string {
  return btoa(text).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

interface ContinueToken {
  readonly revision: number;
  readonly start: string;
}

const INVALID_KEY = 'continue key is not valid';

/** Returns the content of a token, or an error. */
function parseToken(token: string): ContinueToken | string {
  const odd = /[^A-Za-z0-9_-]/.exec(token);
  if (odd !== null) return `${INVALID_KEY}: illegal base64 data at input byte ${odd.index}`;
  if (token.length % 4 === 1) return `${INVALID_KEY}: illegal base64 data at input byte ${token.length}`;
  const text = atob(token.replaceAll('-', '+').replaceAll('_', '/'));
  let raw: unknown;
  try {
    raw = JSON.parse(text);
  } catch {
    return `${INVALID_KEY}: invalid character ${quotedCharacter(text.trimStart())} looking for beginning of value`;
  }
  const { v = '', rv = 0, start = '' } = (raw ?? {}) as { v?: unknown; rv?: unknown; start?: unknown };
  if (v !== 'meta.k8s.io/v1')
    return `continue key is not valid: server does not recognize this encoded version ${String(v)}`;
  if (typeof rv !== 'number' || rv === 0)
    return `${INVALID_KEY}: incorrect encoded start resourceVersion (version meta.k8s.io/v1)`;
  if (typeof start !== 'string' || start === '')
    return `${INVALID_KEY}: encoded start key empty (version meta.k8s.io/v1)`;
  return { revision: rv, start: start.startsWith('/') ? start.slice(1) : start };
}

function quotedCharacter(text: string): string {
  const first = text.charAt(0);
  return first === "'" ? `'\\''` : `'${first}'`;
}
