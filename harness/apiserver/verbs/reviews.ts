/**
 * Virtual kinds: POST asks a question, nothing is stored. Everything is allowed to everybody, as under AlwaysAllow.
 */
import { isMap } from '../definition.ts';
import type { ApiRequest, ApiResponse } from '../../wire/http.ts';
import { methodNotAllowed } from '../refusal.ts';
import type { JsonObject } from '../../model/object.ts';

export interface VirtualKind {
  readonly group: string;
  readonly resource: string;
  readonly kind: string;
  readonly namespaced: boolean;
  readonly status: JsonObject;
}

const AUTHORIZATION = 'authorization.k8s.io';
const AUTHENTICATION = 'authentication.k8s.io';
const ALLOWED: JsonObject = { allowed: true };
const USER: JsonObject = { username: 'system:admin', groups: ['system:masters', 'system:authenticated'] };
const RULES: JsonObject = {
  incomplete: false,
  resourceRules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }],
  nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['*'] }],
};

export const VIRTUAL_KINDS: readonly VirtualKind[] = [
  {
    group: AUTHORIZATION,
    resource: 'selfsubjectaccessreviews',
    kind: 'SelfSubjectAccessReview',
    namespaced: false,
    status: ALLOWED,
  },
  {
    group: AUTHORIZATION,
    resource: 'subjectaccessreviews',
    kind: 'SubjectAccessReview',
    namespaced: false,
    status: ALLOWED,
  },
  {
    group: AUTHORIZATION,
    resource: 'localsubjectaccessreviews',
    kind: 'LocalSubjectAccessReview',
    namespaced: true,
    status: ALLOWED,
  },
  {
    group: AUTHORIZATION,
    resource: 'selfsubjectrulesreviews',
    kind: 'SelfSubjectRulesReview',
    namespaced: false,
    status: RULES,
  },
  {
    group: AUTHENTICATION,
    resource: 'tokenreviews',
    kind: 'TokenReview',
    namespaced: false,
    status: { authenticated: true, user: USER },
  },
  {
    group: AUTHENTICATION,
    resource: 'selfsubjectreviews',
    kind: 'SelfSubjectReview',
    namespaced: false,
    status: { userInfo: USER },
  },
];

const PATH = /^\/apis\/(authorization|authentication)\.k8s\.io\/v1\/(?:namespaces\/[^/]+\/)?([a-z]+)\/?$/;

/** The answer of a virtual kind; undefined when the path names none. */
export function review(request: ApiRequest): ApiResponse | undefined {
  const match = PATH.exec(request.path);
  if (match === null) return undefined;
  const kind = VIRTUAL_KINDS.find((one) => one.resource === match[2] && one.group === `${match[1] ?? ''}.k8s.io`);
  if (kind === undefined) return undefined;
  if (request.method !== 'POST') return methodNotAllowed({ ...kind, gr: kind.resource, custom: false }, request.method);
  const body = isMap(request.body) ? request.body : {};
  const named = { apiVersion: `${kind.group}/v1`, kind: kind.kind };
  const metadata = isMap(body['metadata']) ? body['metadata'] : {};
  return { code: 201, body: { ...body, ...named, metadata, status: kind.status } };
}
