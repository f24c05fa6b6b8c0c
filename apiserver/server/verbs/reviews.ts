/**
 * Virtual kinds: a POST is answered with an evaluated review, and nothing is stored.
 *
 * Owns: access reviews, rule reviews, token reviews and who-am-I, with the validation of k8s.io/kubernetes `pkg/registry/authorization` and
 * `pkg/registry/authentication`. Does not own: the decisions (`access/`). Start at {@link review}.
 */
import { isList, isMap, textOf, textsOf } from '../../objects/json.ts';
import type { JsonObject, JsonValue } from '../../objects/object.ts';
import type { ApiRequest, ApiResponse, UserInfo } from '../../wire/http.ts';
import { ADMIN, type Attributes } from '../access/attributes.ts';
import type { Authorizer } from '../access/rbac.ts';
import { type PolicyRule } from '../access/rules.ts';
import { ISSUER } from '../access/tokens.ts';
import { badRequest, fieldInvalid, invalid, Refusal, refuse, type FieldError } from '../refusal.ts';
import { decodeTyped, type Shape } from './typed.ts';

export interface VirtualKind {
  readonly group: string;
  readonly resource: string;
  readonly kind: string;
  readonly namespaced: boolean;
}

const AUTHORIZATION = 'authorization.k8s.io';
const AUTHENTICATION = 'authentication.k8s.io';

const VIRTUAL_KINDS: readonly VirtualKind[] = [
  {
    group: AUTHORIZATION,
    resource: 'selfsubjectaccessreviews',
    kind: 'SelfSubjectAccessReview',
    namespaced: false,
  },
  { group: AUTHORIZATION, resource: 'subjectaccessreviews', kind: 'SubjectAccessReview', namespaced: false },
  { group: AUTHORIZATION, resource: 'localsubjectaccessreviews', kind: 'LocalSubjectAccessReview', namespaced: true },
  { group: AUTHORIZATION, resource: 'selfsubjectrulesreviews', kind: 'SelfSubjectRulesReview', namespaced: false },
  { group: AUTHENTICATION, resource: 'tokenreviews', kind: 'TokenReview', namespaced: false },
  { group: AUTHENTICATION, resource: 'selfsubjectreviews', kind: 'SelfSubjectReview', namespaced: false },
];

const FIELD_SELECTOR: Shape = {
  go: 'FieldSelectorAttributes',
  fields: { rawSelector: 'string', requirements: 'any' },
};
const LABEL_SELECTOR: Shape = {
  go: 'LabelSelectorAttributes',
  fields: { rawSelector: 'string', requirements: 'any' },
};
const RESOURCE: Shape = {
  go: 'ResourceAttributes',
  fields: {
    namespace: 'string',
    verb: 'string',
    group: 'string',
    version: 'string',
    resource: 'string',
    subresource: 'string',
    name: 'string',
    fieldSelector: FIELD_SELECTOR,
    labelSelector: LABEL_SELECTOR,
  },
};
const NON_RESOURCE: Shape = { go: 'NonResourceAttributes', fields: { path: 'string', verb: 'string' } };
const ACCESS: Shape['fields'] = { resourceAttributes: RESOURCE, nonResourceAttributes: NON_RESOURCE };
const SUBJECT: Shape = {
  go: 'SubjectAccessReviewSpec',
  fields: { ...ACCESS, user: 'string', groups: 'strings', extra: 'any', uid: 'string' },
};

const SPECS: { readonly [kind: string]: Shape } = {
  SelfSubjectAccessReview: { go: 'SelfSubjectAccessReviewSpec', fields: ACCESS },
  SubjectAccessReview: SUBJECT,
  LocalSubjectAccessReview: SUBJECT,
  SelfSubjectRulesReview: { go: 'SelfSubjectRulesReviewSpec', fields: { namespace: 'string' } },
  TokenReview: { go: 'TokenReviewSpec', fields: { token: 'string', audiences: 'strings' } },
};

/** The user of a token, and the requested audiences for which the token is valid. */
export interface TokenOwner {
  readonly user: UserInfo;
  readonly audiences: readonly string[];
}

/** What reviews need to be evaluated. */
export interface Reviewer {
  readonly authorizer: Authorizer;
  /** Returns the user of a token; undefined for an invalid one. */
  tokenOwner(token: string, audiences: readonly string[]): TokenOwner | undefined;
  timestamp(): string;
}

const PATH = /^\/apis\/(authorization|authentication)\.k8s\.io\/v1\/(?:namespaces\/([^/]+)\/)?([a-z]+)(\/[^/]+)*\/?$/;

/** Returns the answer to a request for a virtual kind; undefined for other paths. */
export function review(reviewer: Reviewer, request: ApiRequest): ApiResponse | undefined {
  const match = PATH.exec(request.path);
  if (match === null) return undefined;
  const [, group = '', namespace = '', resource = '', beyond] = match;
  const virtual = VIRTUAL_KINDS.find((one) => one.resource === resource && one.group === `${group}.k8s.io`);
  if (virtual === undefined || beyond !== undefined || (namespace !== '') !== virtual.namespaced)
    return refuse(404, 'NotFound', 'the server could not find the requested resource', {});
  if (request.method !== 'POST')
    return refuse(405, 'MethodNotAllowed', 'the server does not allow this method on the requested resource', {});
  const apiVersion = `${virtual.group}/v1`;
  const warnings: string[] = [];
  const body = decodeTyped(request, { apiVersion, kind: virtual.kind, spec: SPECS[virtual.kind] }, warnings);
  if (body instanceof Refusal) return body;
  const answer = answered(reviewer, request.user ?? ADMIN, virtual.kind, namespace, body);
  const response: ApiResponse =
    answer instanceof Refusal ? answer : { code: 201, body: { kind: virtual.kind, apiVersion, ...answer } };
  if (warnings.length === 0) return response;
  const warning = warnings.map((one) => `299 - ${JSON.stringify(one)}`).join(', ');
  return { ...response, headers: { ...response.headers, warning } };
}

function answered(
  reviewer: Reviewer,
  user: UserInfo,
  kind: string,
  namespace: string,
  body: JsonObject,
): JsonObject | Refusal {
  const spec = isMap(body['spec']) ? body['spec'] : {};
  const metadata = isMap(body['metadata']) ? body['metadata'] : {};
  switch (kind) {
    case 'SelfSubjectRulesReview':
      return rules(reviewer, user, textOf(spec['namespace']));
    case 'SelfSubjectReview':
      return { metadata: { creationTimestamp: reviewer.timestamp() }, status: { userInfo: userJson(user) } };
    case 'TokenReview': {
      if (textOf(spec['token']) === '') return badRequest('token is required for TokenReview in authentication');
      return { metadata, spec, status: tokenStatus(reviewer, spec) };
    }
    default:
      return access(reviewer, user, kind, namespace, metadata, spec);
  }
}

function access(
  reviewer: Reviewer,
  self: UserInfo,
  kind: string,
  namespace: string,
  given: JsonObject,
  spec: JsonObject,
): JsonObject | Refusal {
  const local = kind === 'LocalSubjectAccessReview';
  // The review applies to the namespace in the path.
  const metadata = local && given['namespace'] === undefined ? { namespace, ...given } : given;
  const errors = accessErrors(kind, metadata, spec);
  // The kind is missing from the message, because the decoded object has none.
  if (errors.length > 0) return nameless(invalid({ group: AUTHORIZATION, kind: '' }, '', errors));
  if (local && metadata['namespace'] !== namespace)
    return badRequest(`the namespace of the provided object does not match the namespace sent on the request`);
  const user: UserInfo =
    kind === 'SelfSubjectAccessReview' ? self : { name: textOf(spec['user']), groups: textsOf(spec['groups']) };
  const decision = reviewer.authorizer.authorize(askedBy(user, spec));
  const status = {
    allowed: decision.allowed,
    ...(decision.reason === '' ? {} : { reason: decision.reason }),
  };
  return { metadata, spec, status };
}

function nameless(refusal: Refusal): Refusal {
  const body = refusal.body as JsonObject;
  const { kind: _, ...details } = body['details'] as JsonObject;
  return new Refusal(refusal.code, { ...body, details }, refusal.headers);
}

function askedBy(user: UserInfo, spec: JsonObject): Attributes {
  const resource = isMap(spec['resourceAttributes']) ? spec['resourceAttributes'] : undefined;
  const url = isMap(spec['nonResourceAttributes']) ? spec['nonResourceAttributes'] : {};
  const from = resource ?? {};
  return {
    user,
    verb: textOf((resource ?? url)['verb']),
    isResource: resource !== undefined,
    path: textOf(url['path']),
    group: textOf(from['group']),
    resource: textOf(from['resource']),
    subresource: textOf(from['subresource']),
    namespace: textOf(from['namespace']),
    name: textOf(from['name']),
  };
}

function accessErrors(kind: string, metadata: JsonObject, spec: JsonObject): readonly FieldError[] {
  const errors: FieldError[] = [];
  const resource = spec['resourceAttributes'];
  const url = spec['nonResourceAttributes'];
  const shownUrl: JsonValue = isMap(url) ? { Path: textOf(url['path']), Verb: textOf(url['verb']) } : null;
  if (resource !== undefined && url !== undefined)
    errors.push(
      fieldInvalid(
        'spec.nonResourceAttributes',
        shownUrl,
        'cannot be specified in combination with resourceAttributes',
      ),
    );
  if (resource === undefined && url === undefined)
    errors.push(
      fieldInvalid(
        'spec.resourceAttributes',
        null,
        'exactly one of nonResourceAttributes or resourceAttributes must be specified',
      ),
    );
  if (kind !== 'SelfSubjectAccessReview' && textOf(spec['user']) === '' && textsOf(spec['groups']).length === 0)
    errors.push(fieldInvalid('spec.user', '', 'at least one of user or group must be specified'));
  if (isMap(resource)) for (const which of ['fieldSelector', 'labelSelector']) selectorErrors(resource, which, errors);
  const local = kind === 'LocalSubjectAccessReview';
  const { namespace, managedFields: _, ...rest } = metadata;
  // Go encodes an unset time as `creationTimestamp: null`.
  const isNamed = Object.values(rest).some((value) => value !== null && value !== '');
  if (isNamed || (!local && textOf(namespace) !== ''))
    errors.push(fieldInvalid('metadata', metadata, local ? 'must be empty except for namespace' : 'must be empty'));
  if (local && isMap(resource) && textOf(resource['namespace']) !== namespace)
    errors.push(
      fieldInvalid('spec.resourceAttributes.namespace', textOf(resource['namespace']), 'must match metadata.namespace'),
    );
  if (local && url !== undefined)
    errors.push(fieldInvalid('spec.nonResourceAttributes', shownUrl, 'disallowed on this kind of request'));
  return errors;
}

function selectorErrors(resource: JsonObject, which: string, errors: FieldError[]): void {
  const selector = resource[which];
  if (!isMap(selector)) return;
  const path = `spec.resourceAttributes.${which}`;
  const raw = textOf(selector['rawSelector']);
  const count = isList(selector['requirements']) ? selector['requirements'].length : 0;
  if (raw !== '' && count > 0)
    errors.push(fieldInvalid(`${path}.rawSelector`, raw, 'may not specified at the same time as requirements'));
  if (raw === '' && count === 0)
    errors.push({
      type: 'Required',
      field: `${path}.requirements`,
      detail: `when ${path} is specified, requirements or rawSelector is required`,
    });
}

function rules(reviewer: Reviewer, user: UserInfo, namespace: string): JsonObject | Refusal {
  if (namespace === '') return badRequest('no namespace on request');
  const found = reviewer.authorizer.rulesFor(user, namespace);
  const resourceRules = found.rules.filter((rule) => rule.resources.length > 0).map(resourceRule);
  const nonResourceRules = found.rules
    .filter((rule) => rule.nonResourceURLs.length > 0)
    .map(({ verbs, nonResourceURLs }): JsonObject => ({ verbs, nonResourceURLs }));
  const error = found.error === '' ? {} : { evaluationError: found.error };
  return { metadata: {}, spec: {}, status: { resourceRules, nonResourceRules, incomplete: false, ...error } };
}

function resourceRule({ verbs, apiGroups, resources, resourceNames }: PolicyRule): JsonObject {
  return { verbs, apiGroups, resources, ...(resourceNames.length === 0 ? {} : { resourceNames }) };
}

function tokenStatus(reviewer: Reviewer, spec: JsonObject): JsonObject {
  const audiences = textsOf(spec['audiences']);
  const owner = reviewer.tokenOwner(textOf(spec['token']), audiences.length === 0 ? [ISSUER] : audiences);
  if (owner === undefined) return { user: {}, error: 'invalid bearer token' };
  return { authenticated: true, user: userJson(owner.user), audiences: owner.audiences };
}

/** Returns a user as JSON for reviews and admission. */
export function userJson({ name, uid, groups, extra }: UserInfo): JsonObject {
  return {
    username: name,
    ...(uid === undefined || uid === '' ? {} : { uid }),
    ...(groups.length === 0 ? {} : { groups }),
    ...(extra === undefined || Object.keys(extra).length === 0 ? {} : { extra }),
  };
}
