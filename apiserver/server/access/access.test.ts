import { describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '../../objects/object.ts';
import type { ApiRequest, Method, UserInfo } from '../../wire/http.ts';
import { configMap, testServer, type Answer, type TestServer } from '../testing.ts';

const RBAC = '/apis/rbac.authorization.k8s.io/v1';
const REVIEWS = '/apis/authorization.k8s.io/v1';
const DEFAULT = '/api/v1/namespaces/default';
const ALICE: UserInfo = { name: 'alice', groups: ['devs', 'system:authenticated'] };
const ADMIN: UserInfo = { name: 'root', groups: ['system:masters', 'system:authenticated'] };

interface Asking extends TestServer {
  readonly as: (
    user: UserInfo,
    method: Method,
    path: string,
    body?: JsonValue,
    headers?: ApiRequest['headers'],
  ) => Answer;
}

function rbacServer(): Asking {
  const made = testServer({ authorization: 'rbac' });
  return {
    ...made,
    as: (user, method, path, body, headers = {}) => made.request(method, path, body, { user, headers }),
  };
}

function message(answer: Answer): unknown {
  return (answer.body as JsonObject)['message'];
}

/** Grants the rules to alice, in the whole cluster or in the default namespace. */
function grant({ request }: TestServer, rules: readonly JsonObject[], namespaced = false): void {
  const ref = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'given' };
  const subjects = [{ kind: 'User', name: 'alice', apiGroup: 'rbac.authorization.k8s.io' }];
  request('POST', `${RBAC}/clusterroles`, { metadata: { name: 'given' }, rules });
  const path = namespaced ? `${RBAC}/namespaces/default/rolebindings` : `${RBAC}/clusterrolebindings`;
  request('POST', path, { metadata: { name: 'given' }, roleRef: ref, subjects });
}

function rule(verbs: readonly string[], resources: readonly string[], more: JsonObject = {}): JsonObject {
  return { apiGroups: [''], verbs, resources, ...more };
}

describe('authorization', () => {
  it("refuses what no rule allows, with a real server's message (114)", () => {
    const { as } = rbacServer();
    expect(as(ALICE, 'GET', `${DEFAULT}/pods`)).toMatchObject({
      code: 403,
      body: {
        reason: 'Forbidden',
        details: { kind: 'pods' },
        message:
          'pods is forbidden: User "alice" cannot list resource "pods" in API group "" in the namespace "default"',
      },
    });
    expect(message(as(ALICE, 'GET', '/apis/apps/v1/namespaces/default/deployments/x/status'))).toBe(
      'deployments.apps "x" is forbidden: User "alice" cannot get resource "deployments/status" in API group "apps" in the namespace "default"',
    );
    expect(message(as(ALICE, 'GET', '/metrics'))).toBe('forbidden: User "alice" cannot get path "/metrics"');
    expect(message(as(ALICE, 'DELETE', '/apis/apps/v1/namespaces/default/deployments'))).toContain('deletecollection');
  });

  it('allows administrators and in-process callers everything', () => {
    const { as, request } = rbacServer();
    expect(as(ADMIN, 'GET', '/api/v1/pods').code).toBe(200);
    expect(request('GET', '/api/v1/pods').code).toBe(200);
    expect(as(ALICE, 'GET', '/version').code).toBe(200);
  });

  it('follows verbs, resource names, subresources and namespaces of the stored roles', () => {
    const made = rbacServer();
    grant(made, [rule(['get', 'watch'], ['configmaps'], { resourceNames: ['a'] }), rule(['list'], ['pods/*'])], true);
    made.request('POST', `${DEFAULT}/configmaps`, configMap('a'));

    expect(made.as(ALICE, 'GET', `${DEFAULT}/configmaps/a`).code).toBe(200);
    expect(made.as(ALICE, 'GET', `${DEFAULT}/configmaps/b`).code).toBe(403);
    expect(made.as(ALICE, 'GET', `${DEFAULT}/configmaps`).code).toBe(403);
    expect(made.as(ALICE, 'GET', '/api/v1/namespaces/kube-system/configmaps/a').code).toBe(403);
    expect(made.as(ALICE, 'GET', `${DEFAULT}/pods`).code).toBe(403);
  });

  it('sees new bindings at once, and a restored store', () => {
    const made = rbacServer();
    const before = made.server.snapshot();
    expect(made.as(ALICE, 'GET', '/api/v1/pods').code).toBe(403);
    grant(made, [rule(['list'], ['pods'])]);
    expect(made.as(ALICE, 'GET', '/api/v1/pods').code).toBe(200);
    made.server.restore(before);
    expect(made.as(ALICE, 'GET', '/api/v1/pods').code).toBe(403);
  });

  it('reports roles that bindings refer to but that do not exist', () => {
    const made = rbacServer();
    grant(made, [rule(['get'], ['pods'])]);
    made.request('DELETE', `${RBAC}/clusterroles/given`);
    expect(message(made.as(ALICE, 'GET', `${DEFAULT}/pods`))).toContain(
      'in the namespace "default": RBAC: clusterrole.rbac.authorization.k8s.io "given" not found',
    );
  });

  it('requires create too when an update creates', () => {
    const made = rbacServer();
    grant(made, [{ apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: ['update'] }]);
    const lease = { metadata: { name: 'l' }, spec: { holderIdentity: 'x' } };
    expect(message(made.as(ALICE, 'PUT', '/apis/coordination.k8s.io/v1/namespaces/default/leases/l', lease))).toContain(
      'User "alice" cannot create resource "leases"',
    );
  });

  it('counts denied requests', () => {
    const made = rbacServer();
    made.as(ALICE, 'GET', `${DEFAULT}/pods`);
    made.as(ALICE, 'GET', `${DEFAULT}/pods`);
    made.as(ALICE, 'DELETE', `${DEFAULT}/secrets/s`);
    expect(made.server.deniedRequests()).toMatchObject([
      { user: 'alice', verb: 'list', resource: 'pods', namespace: 'default', times: 2 },
      { user: 'alice', verb: 'delete', resource: 'secrets', name: 's', times: 1 },
    ]);
  });
});

describe('escalation', () => {
  const OWN = [rule(['get'], ['pods']), { apiGroups: ['rbac.authorization.k8s.io'], resources: ['*'], verbs: ['*'] }];

  it('through a role is refused with the missing rules', () => {
    const made = rbacServer();
    grant(made, [OWN[0] ?? {}, { ...OWN[1], verbs: ['create', 'update'] }]);
    const role = { metadata: { name: 'r' }, rules: [rule(['get', 'list', 'watch'], ['pods'])] };
    expect(made.as(ALICE, 'POST', `${RBAC}/clusterroles`, role)).toMatchObject({
      code: 403,
      body: {
        message:
          'clusterroles.rbac.authorization.k8s.io "r" is forbidden: user "alice" (groups=["devs" "system:authenticated"]) is attempting to grant RBAC permissions not currently held:\n{APIGroups:[""], Resources:["pods"], Verbs:["list" "watch"]}',
      },
    });
    const held = { metadata: { name: 'r' }, rules: [rule(['get'], ['pods'])] };
    expect(made.as(ALICE, 'POST', `${RBAC}/clusterroles`, held).code).toBe(201);
  });

  it('needs a permission of its own: escalate and bind', () => {
    const made = rbacServer();
    grant(made, OWN);
    const role = { metadata: { name: 'r' }, rules: [rule(['*'], ['*'])] };
    const binding = {
      metadata: { name: 'b' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
    };
    expect(made.as(ALICE, 'POST', `${RBAC}/clusterroles`, role).code).toBe(201);
    expect(made.as(ALICE, 'POST', `${RBAC}/clusterrolebindings`, binding).code).toBe(201);
  });
});

describe('impersonation', () => {
  const AS_BOB = { 'impersonate-user': 'bob' };

  it("acts as the other user, with that user's permissions", () => {
    const made = rbacServer();
    expect(made.as(ADMIN, 'GET', '/api/v1/pods', undefined, AS_BOB).code).toBe(403);
    const who = made.as(
      ADMIN,
      'POST',
      '/apis/authentication.k8s.io/v1/selfsubjectreviews',
      {},
      {
        'impersonate-user': 'system:serviceaccount:ns:sa',
      },
    );
    expect(who.body).toMatchObject({
      status: {
        userInfo: {
          username: 'system:serviceaccount:ns:sa',
          groups: ['system:serviceaccounts', 'system:serviceaccounts:ns', 'system:authenticated'],
        },
      },
    });
  });

  it('needs the permission, and a user', () => {
    const made = rbacServer();
    expect(message(made.as(ALICE, 'GET', '/api/v1/pods', undefined, AS_BOB))).toBe(
      'pods is forbidden: User "alice" cannot impersonate-on:user-info:list resource "pods" in API group "" at the cluster scope',
    );
    grant(made, [rule(['impersonate'], ['users']), rule(['list'], ['pods'])]);
    expect(message(made.as(ALICE, 'GET', '/api/v1/pods', undefined, AS_BOB))).toContain('User "bob" cannot list');
    expect(message(made.as(ALICE, 'GET', '/api/v1/pods', undefined, { 'impersonate-group': 'g' }))).toBe(
      'requested &user.DefaultInfo{Name:"", UID:"", Groups:[]string{"g"}, Extra:map[string][]string(nil)} without impersonating a user name',
    );
  });
});

describe('reviews', () => {
  it('report the rule that decided (55)', () => {
    const made = rbacServer();
    const ask = (user: UserInfo): unknown =>
      made.as(user, 'POST', `${REVIEWS}/selfsubjectaccessreviews`, {
        spec: { resourceAttributes: { verb: 'list', resource: 'pods' } },
      }).object['status'];
    expect(ask(ALICE)).toEqual({ allowed: false });
    grant(made, [rule(['list'], ['pods'])]);
    expect(ask(ALICE)).toEqual({
      allowed: true,
      reason: 'RBAC: allowed by ClusterRoleBinding "given" of ClusterRole "given" to User "alice"',
    });
    expect(ask(ADMIN)).toEqual({ allowed: true });
  });

  it('list the rules of a user', () => {
    const made = rbacServer();
    grant(made, [rule(['list'], ['pods'])], true);
    const answer = made.as(ALICE, 'POST', `${REVIEWS}/selfsubjectrulesreviews`, { spec: { namespace: 'default' } });
    expect(answer).toMatchObject({ code: 201, body: { spec: {}, status: { incomplete: false } } });
    const { resourceRules } = answer.object['status'] as { readonly resourceRules: readonly JsonObject[] };
    expect(resourceRules).toContainEqual({ apiGroups: [''], verbs: ['list'], resources: ['pods'] });
  });

  it('identify a token, and sign tokens of service accounts', () => {
    const made = rbacServer();
    made.request('POST', `${DEFAULT}/serviceaccounts`, { metadata: { name: 'sa' } });
    const made1 = made.request('POST', `${DEFAULT}/serviceaccounts/sa/token`, { spec: { expirationSeconds: 600 } });
    expect(made1.code).toBe(201);
    const { token } = made1.object['status'] as { readonly token: string };
    expect(made.server.serviceAccountOf(token)).toMatchObject({
      name: 'system:serviceaccount:default:sa',
      groups: ['system:serviceaccounts', 'system:serviceaccounts:default', 'system:authenticated'],
    });
    const review = (): unknown =>
      made.request('POST', '/apis/authentication.k8s.io/v1/tokenreviews', { spec: { token } }).object['status'];
    expect(review()).toMatchObject({ authenticated: true, user: { username: 'system:serviceaccount:default:sa' } });
    expect(made.server.serviceAccountOf(`${token}x`)).toBeUndefined();
    made.clock.nowMs += 601_000;
    expect(review()).toEqual({ user: {}, error: 'invalid bearer token' });
  });

  it.each([
    [{ creationTimestamp: null }, 201],
    [{ name: 'x' }, 422],
  ])("accept no metadata but Go's empty one: %j", (metadata, code) => {
    const { request } = testServer();
    const spec = { resourceAttributes: { verb: 'get', resource: 'pods' } };

    expect(request('POST', `${REVIEWS}/selfsubjectaccessreviews`, { metadata, spec }).code).toBe(code);
  });

  it('refuse empty questions', () => {
    const { request } = testServer();
    expect(request('POST', `${REVIEWS}/selfsubjectaccessreviews`, {})).toMatchObject({
      code: 422,
      body: {
        message:
          '.authorization.k8s.io "" is invalid: spec.resourceAttributes: Invalid value: null: exactly one of nonResourceAttributes or resourceAttributes must be specified',
      },
    });
    expect(request('GET', `${REVIEWS}/subjectaccessreviews`).code).toBe(405);
  });
});
