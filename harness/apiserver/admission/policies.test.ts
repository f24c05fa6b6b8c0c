import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../model/object.ts';
import { CONFIGMAPS_PATH, configMap, testServer, type TestServer } from '../testing.ts';
import { CONFIGURATIONS } from './testing.ts';

describe('validating admission policies', () => {
  function bind(made: TestServer, spec: JsonObject, actions: readonly string[]): void {
    const rule = { apiGroups: [''], apiVersions: ['v1'], operations: ['*'], resources: ['configmaps'] };
    const policy = { metadata: { name: 'p' }, spec: { matchConstraints: { resourceRules: [rule] }, ...spec } };
    expect(made.request('POST', `${CONFIGURATIONS}/validatingadmissionpolicies`, policy).code).toBe(201);
    const binding = { metadata: { name: 'b' }, spec: { policyName: 'p', validationActions: actions } };
    expect(made.request('POST', `${CONFIGURATIONS}/validatingadmissionpolicybindings`, binding).code).toBe(201);
  }

  it('deny what their expressions do not hold for', () => {
    const made = testServer();
    const variables = [{ name: 'size', expression: 'size(object.data)' }];
    bind(made, { variables, validations: [{ expression: 'request.operation == "DELETE" || variables.size < 2' }] }, [
      'Deny',
    ]);
    expect(made.request('POST', CONFIGMAPS_PATH, configMap('a', { a: '1', b: '2' }))).toMatchObject({
      code: 422,
      body: {
        reason: 'Invalid',
        message:
          'configmaps "a" is forbidden: ValidatingAdmissionPolicy \'p\' with binding \'b\' denied request: failed expression: request.operation == "DELETE" || variables.size < 2',
      },
    });
    expect(made.request('POST', CONFIGMAPS_PATH, configMap('a', { a: '1' })).code).toBe(201);
  });

  it('only warn when that is all they are bound to do', () => {
    const made = testServer();
    bind(made, { validations: [{ expression: 'false', message: 'never' }] }, ['Warn']);
    const answer = made.request('POST', CONFIGMAPS_PATH, configMap('a'));
    expect(answer.code).toBe(201);
    expect(answer.headers?.['warning']).toContain(
      "Validation failed for ValidatingAdmissionPolicy 'p' with binding 'b': never",
    );
  });
});
