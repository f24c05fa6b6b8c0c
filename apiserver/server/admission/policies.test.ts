import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../objects/object.ts';
import { CONFIGMAPS_PATH, configMap, MERGE, testServer, type TestServer } from '../testing.ts';

const GROUP = '/apis/admissionregistration.k8s.io/v1';
const RULES = [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE', 'UPDATE'], resources: ['configmaps'] }];

function validating(spec: JsonObject, binding: JsonObject = {}): TestServer {
  return withPolicy('Validating', spec, { validationActions: ['Deny'], ...binding });
}

function mutating(spec: JsonObject, binding: JsonObject = {}): TestServer {
  return withPolicy('Mutating', { reinvocationPolicy: 'Never', ...spec }, binding);
}

function withPolicy(
  family: string,
  spec: JsonObject,
  binding: JsonObject,
  made: TestServer = testServer(),
): TestServer {
  const kind = `${family}AdmissionPolicy`;
  const path = `${GROUP}/${kind.toLowerCase().replace(/y$/, 'ies')}`;
  const apiVersion = 'admissionregistration.k8s.io/v1';
  const policy = { matchConstraints: { resourceRules: RULES }, ...spec };
  const answers = [
    made.request('POST', path, { apiVersion, kind, metadata: { name: 'p' }, spec: policy }),
    made.request('POST', path.replace(/ies$/, 'ybindings'), {
      apiVersion,
      kind: `${kind}Binding`,
      metadata: { name: 'b' },
      spec: { policyName: 'p', ...binding },
    }),
  ];
  expect(answers).toMatchObject([{ code: 201 }, { code: 201 }]);
  return made;
}

const DENIED = "ValidatingAdmissionPolicy 'p' with binding 'b' denied request: ";

describe('a validating policy', () => {
  it('reads the namespace, the request and lazily evaluated variables', () => {
    const made = validating({
      variables: [
        { name: 'first', expression: 'object.data.a' },
        { name: 'second', expression: "variables.first + '!'" },
        { name: 'broken', expression: 'object.data.none' },
      ],
      validations: [
        { expression: "namespaceObject.metadata.name == 'default' && request.namespace == 'default'" },
        { expression: "variables.second == 'x!'", messageExpression: "'not ' + variables.second" },
        { expression: "variables.first != 'y' || variables.broken == ''" },
      ],
    });
    expect(made.request('POST', CONFIGMAPS_PATH, configMap('a', { a: 'x' })).code).toBe(201);
    expect(made.request('POST', CONFIGMAPS_PATH, configMap('b', { a: 'z' })).object['message']).toBe(
      `configmaps "b" is forbidden: ${DENIED}not z!`,
    );
    const broken = validating({
      variables: [{ name: 'broken', expression: 'object.data.none' }],
      validations: [{ expression: "variables.broken == ''" }],
    });
    expect(broken.request('POST', CONFIGMAPS_PATH, configMap('a', { a: 'x' })).object).toMatchObject({
      code: 422,
      message: `configmaps "a" is forbidden: ${DENIED}expression 'variables.broken == ''' resulted in error: composited variable "broken" fails to evaluate: no such key: none`,
    });
  });

  it('is evaluated once for each of its parameters', () => {
    const spec = {
      paramKind: { apiVersion: 'example.com/v1', kind: 'Widget' },
      validations: [
        { expression: 'params.spec.size >= size(object.data)', messageExpression: "params.metadata.name + ''" },
      ],
    };
    const made = validating(spec, {
      paramRef: { selector: { matchLabels: { limit: 'yes' } }, parameterNotFoundAction: 'Deny' },
    });
    expect(made.request('POST', CONFIGMAPS_PATH, configMap('a')).object['message']).toBe(
      `configmaps "a" is forbidden: ${DENIED}failed to configure binding: no params found for policy binding with \`Deny\` parameterNotFoundAction`,
    );
    const limit = (name: string, size: number): JsonObject => ({
      apiVersion: 'example.com/v1',
      kind: 'Widget',
      metadata: { name, labels: { limit: 'yes' } },
      spec: { size },
    });
    made.request('POST', '/apis/example.com/v1/namespaces/default/widgets', limit('wide', 2));
    expect(made.request('POST', CONFIGMAPS_PATH, configMap('a', { a: '1', b: '2' })).code).toBe(201);
    made.request('POST', '/apis/example.com/v1/namespaces/default/widgets', limit('narrow', 1));
    expect(made.request('POST', CONFIGMAPS_PATH, configMap('b', { a: '1', b: '2' })).object['message']).toBe(
      `configmaps "b" is forbidden: ${DENIED}narrow`,
    );
  });

  it('checks what the sender may do', () => {
    const check = "authorizer.group('').resource('secrets').namespace('default').check('get')";
    const made = testServer({ authorization: 'rbac' });
    withPolicy(
      'Validating',
      { validations: [{ expression: `${check}.allowed()`, message: 'no secrets' }] },
      { validationActions: ['Deny'] },
      made,
    );
    const role = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole' };
    const bind = (name: string, rules: JsonObject[]): void => {
      made.request('POST', '/apis/rbac.authorization.k8s.io/v1/clusterroles', { metadata: { name }, rules });
      made.request('POST', '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings', {
        metadata: { name },
        roleRef: { ...role, name },
        subjects: [{ kind: 'User', name: 'ann' }],
      });
    };
    const user = { name: 'ann', groups: [] };
    bind('maps', [{ apiGroups: [''], resources: ['configmaps'], verbs: ['*'] }]);
    expect(made.request('POST', CONFIGMAPS_PATH, configMap('a'), { user }).object['message']).toBe(
      `configmaps "a" is forbidden: ${DENIED}no secrets`,
    );
    bind('secrets', [{ apiGroups: [''], resources: ['secrets'], verbs: ['get'] }]);
    expect(made.request('POST', CONFIGMAPS_PATH, configMap('a'), { user }).code).toBe(201);
  });

  it('skips excluded rules and names that are not listed', () => {
    const made = validating({
      matchConstraints: {
        resourceRules: [{ ...RULES[0], resourceNames: ['a', 'b'] }],
        excludeResourceRules: [{ ...RULES[0], resourceNames: ['b'] }],
      },
      validations: [{ expression: 'false' }],
    });
    const codes = ['a', 'b', 'c'].map((name) => made.request('POST', CONFIGMAPS_PATH, configMap(name)).code);
    expect(codes).toEqual([422, 201, 201]);
  });
});

function applying(expression: string): JsonObject {
  return { patchType: 'ApplyConfiguration', applyConfiguration: { expression } };
}

function patching(expression: string): JsonObject {
  return { patchType: 'JSONPatch', jsonPatch: { expression } };
}

describe('a mutating policy', () => {
  it("merges the built object into the request's, one mutation after the other", () => {
    const made = mutating({
      mutations: [
        applying(
          'Object{metadata: Object.metadata{labels: {"by": request.operation}}, data: {"x": object.metadata.name}}',
        ),
        patching('[JSONPatch{op: "add", path: "/data/" + jsonpatch.escapeKey("y"), value: object.data.x + "!"}]'),
      ],
    });
    const created = made.request('POST', CONFIGMAPS_PATH, configMap('a', { k: 'v' })).object;
    expect(created['data']).toEqual({ k: 'v', x: 'a', y: 'a!' });
    expect(created.metadata.labels).toEqual({ by: 'CREATE' });
    expect(made.request('PATCH', `${CONFIGMAPS_PATH}/a`, { data: { k: 'w' } }, MERGE).object.metadata.labels).toEqual({
      by: 'UPDATE',
    });
  });

  it('may not modify atomic fields', () => {
    const made = mutating({
      matchConstraints: {
        resourceRules: [{ apiGroups: ['apps'], apiVersions: ['v1'], operations: ['*'], resources: ['deployments'] }],
      },
      mutations: [applying('Object{spec: Object.spec{selector: Object.spec.selector{matchLabels: {"a": "c"}}}}')],
    });
    const template = { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } };
    const answer = made.request('POST', '/apis/apps/v1/namespaces/default/deployments', {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'd' },
      spec: { selector: { matchLabels: { a: 'b' } }, template },
    });
    expect(answer.object).toMatchObject({
      code: 403,
      reason: 'Invalid',
      message:
        "policy 'p' with binding 'b' denied request: error applying patch: invalid ApplyConfiguration: may not mutate atomic arrays, maps or structs: .spec.selector",
    });
  });

  it('is skipped when a test of its patch fails, and refuses when another operation does', () => {
    const tested = mutating({
      mutations: [
        patching('[JSONPatch{op: "test", path: "/data/a", value: "no"}, JSONPatch{op: "remove", path: "/data/a"}]'),
      ],
    });
    expect(tested.request('POST', CONFIGMAPS_PATH, configMap('a', { a: 'b' })).object['data']).toEqual({ a: 'b' });
    const failing = mutating({ mutations: [patching('[JSONPatch{op: "remove", path: "/data/none"}]')] });
    expect(failing.request('POST', CONFIGMAPS_PATH, configMap('a', { a: 'b' })).object).toMatchObject({
      code: 403,
      message: expect.stringContaining("policy 'p' with binding 'b' denied request: JSON Patch: ") as string,
    });
  });

  it('is reinvoked after a later one if needed', () => {
    const made = mutating({
      reinvocationPolicy: 'IfNeeded',
      mutations: [applying('has(object.data) && "late" in object.data ? Object{data: {"seen": "yes"}} : Object{}')],
    });
    const apiVersion = 'admissionregistration.k8s.io/v1';
    const later = {
      matchConstraints: { resourceRules: RULES },
      reinvocationPolicy: 'Never',
      mutations: [applying('Object{data: {"late": "1"}}')],
    };
    const path = `${GROUP}/mutatingadmissionpolic`;
    made.request('POST', `${path}ies`, {
      apiVersion,
      kind: 'MutatingAdmissionPolicy',
      metadata: { name: 'q' },
      spec: later,
    });
    made.request('POST', `${path}ybindings`, {
      apiVersion,
      kind: 'MutatingAdmissionPolicyBinding',
      metadata: { name: 'q' },
      spec: { policyName: 'q' },
    });
    expect(made.request('POST', CONFIGMAPS_PATH, configMap('a', {})).object['data']).toEqual({
      late: '1',
      seen: 'yes',
    });
  });
});

describe('writing a policy', () => {
  const answerTo = (family: string, spec: JsonObject): unknown =>
    testServer().request('POST', `${GROUP}/${family}admissionpolicies`, {
      metadata: { name: 'p' },
      spec: { matchConstraints: { resourceRules: RULES }, ...spec },
    }).object['message'];
  const refused = (kind: string, why: string): string =>
    `${kind}AdmissionPolicy.admissionregistration.k8s.io "p" is invalid: ${why}`;

  it('is refused when an expression does not compile or has the wrong type', () => {
    expect(answerTo('validating', { validations: [{ expression: '1' }] })).toBe(
      refused('Validating', 'spec.validations[0].expression: Invalid value: "1": must evaluate to bool but got int'),
    );
    expect(answerTo('validating', { validations: [{ expression: 'params.x == 1' }] })).toBe(
      refused(
        'Validating',
        `spec.validations[0].expression: Invalid value: "params.x == 1": compilation failed: ERROR: <input>:1:1: undeclared reference to 'params' (in container '')\n | params.x == 1\n | ^`,
      ),
    );
    expect(answerTo('mutating', { reinvocationPolicy: 'Never', mutations: [patching('1')] })).toBe(
      refused(
        'Mutating',
        'spec.mutations[0].jsonPatch.expression: Invalid value: "1": must evaluate to list(JSONPatch) but got int',
      ),
    );
  });
});
