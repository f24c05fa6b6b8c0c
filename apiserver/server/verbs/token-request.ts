/**
 * POST serviceaccounts/NAME/token: a service account token, optionally bound to a pod, secret or node.
 *
 * Owns: the rules of k8s.io/kubernetes `pkg/registry/core/serviceaccount/storage/token.go`. The token itself is created in
 * `access/tokens.ts`.
 */
import { isMap, textOf, textsOf, valueAt } from '../../objects/json.ts';
import type { JsonObject, KubeObject } from '../../objects/object.ts';
import type { ApiResponse } from '../../wire/http.ts';
import { ISSUER, signToken } from '../access/tokens.ts';
import { admitSubresource } from '../admission/write-steps.ts';
import type { Kernel } from '../kernel.ts';
import { timestampText } from '../../objects/timestamps.ts';
import type { Call } from '../call.ts';
import { badRequest, conflict, fieldInvalid, invalid, notFound, Refusal, refuse } from '../refusal.ts';
import { rowKey } from '../store.ts';
import { decodeTyped, type Shape } from './typed.ts';

const GROUP = 'authentication.k8s.io';
const REQUEST = { group: GROUP, resource: 'TokenRequest', kind: 'TokenRequest', gr: `TokenRequest.${GROUP}` };
const SPEC: Shape = {
  go: 'TokenRequestSpec',
  fields: {
    audiences: 'strings',
    expirationSeconds: 'int',
    boundObjectRef: {
      go: 'BoundObjectReference',
      fields: { kind: 'string', apiVersion: 'string', name: 'string', uid: 'string' },
    },
  },
};
const DEFAULT_SECONDS = 3600;
const MIN_SECONDS = 10 * 60;
const MAX_SECONDS = 2 ** 32;

export function requestToken(kernel: Kernel, call: Call): ApiResponse {
  const { definition, namespace, name } = call.route;
  if (call.request.method !== 'POST')
    return refuse(405, 'MethodNotAllowed', 'the server does not allow this method on the requested resource', {});
  const typed = { apiVersion: `${GROUP}/v1`, kind: 'TokenRequest', spec: SPEC };
  const body = decodeTyped(call.request, typed, call.warnings);
  if (body instanceof Refusal) return body;
  const metadata = isMap(body['metadata']) ? body['metadata'] : {};
  const spec = body['spec'] as JsonObject;
  for (const [field, given, expected] of [
    ['name', textOf(metadata['name']), name],
    ['namespace', textOf(metadata['namespace']), namespace],
  ] as const)
    if (given !== '' && given !== expected)
      return invalid(REQUEST, name, [
        fieldInvalid(`metadata.${field}`, given, `must match the service account ${field} if specified`),
      ]);
  const account = kernel.store.get(definition.gr, rowKey(namespace, name));
  if (account === undefined) return notFound(definition, name);
  const uid = account.metadata.uid ?? '';
  const asked = textOf(metadata['uid']);
  if (asked !== '' && asked !== uid)
    return conflict(
      REQUEST,
      name,
      `the UID in the token request (${asked}) does not match the UID of the service account (${uid})`,
    );
  const seconds = typeof spec['expirationSeconds'] === 'number' ? spec['expirationSeconds'] : DEFAULT_SECONDS;
  const path = 'spec.expirationSeconds';
  if (seconds < MIN_SECONDS)
    return invalid(REQUEST, '', [fieldInvalid(path, seconds, 'may not specify a duration less than 10 minutes')]);
  if (seconds > MAX_SECONDS)
    return invalid(REQUEST, '', [fieldInvalid(path, seconds, 'may not specify a duration larger than 2^32 seconds')]);
  const bound = boundObject(kernel, call, spec['boundObjectRef']);
  if (bound instanceof Refusal) return bound;

  const given = textsOf(spec['audiences']);
  const audiences = given.length === 0 ? [ISSUER] : given;
  const boundObjectRef = spec['boundObjectRef'] ?? null;
  const asking = {
    kind: 'TokenRequest',
    apiVersion: typed.apiVersion,
    metadata: { ...metadata, namespace },
    spec: { audiences: given.length === 0 ? null : given, expirationSeconds: seconds, boundObjectRef },
    status: { token: '', expirationTimestamp: null },
  };
  const unwanted = admitSubresource(
    kernel,
    call,
    asking,
    undefined,
    { group: GROUP, version: 'v1', kind: 'TokenRequest' },
    (call.request.query['dryRun'] ?? '') !== '',
    (asked) => ({
      ...asked,
      metadata: { ...(asked['metadata'] as JsonObject), name, uid, creationTimestamp: kernel.timestamp() },
      spec: { ...(asked['spec'] as JsonObject), audiences },
    }),
  );
  if (unwanted instanceof Refusal) return unwanted;
  const created = kernel.timestamp();
  const issuedAt = Date.parse(created) / 1000;
  const expiresAt = issuedAt + seconds;
  const token = signToken({ account, audiences, issuedAt, expiresAt, id: kernel.newUid(), ...bound }, kernel.tokenKey);
  return {
    code: 201,
    body: {
      kind: 'TokenRequest',
      apiVersion: typed.apiVersion,
      metadata: { ...metadata, name, namespace, uid, creationTimestamp: created },
      spec: { audiences, expirationSeconds: seconds, boundObjectRef },
      status: { token, expirationTimestamp: timestampText(expiresAt * 1000) },
    },
  };
}

type Bound = Pick<Parameters<typeof signToken>[0], 'bound' | 'node'>;

/** Returns the object that the token is bound to; empty when the token is not bound. */
function boundObject(kernel: Kernel, call: Call, ref: JsonObject[string]): Bound | Refusal {
  if (!isMap(ref)) return {};
  const { namespace, name: account } = call.route;
  const kind = textOf(ref['kind']);
  const apiVersion = textOf(ref['apiVersion']);
  const lower = kind.toLowerCase();
  if (apiVersion !== 'v1' || (lower !== 'pod' && lower !== 'secret' && lower !== 'node') || kind === lower) {
    const slash = apiVersion.indexOf('/');
    const group = slash < 0 ? '' : apiVersion.slice(0, slash);
    return badRequest(`cannot bind token to object of type ${group}/${apiVersion.slice(slash + 1)}, Kind=${kind}`);
  }
  const name = textOf(ref['name']);
  const definition = kernel.registry.byResource(`${lower}s`);
  const object = kernel.store.get(`${lower}s`, rowKey(lower === 'node' ? '' : namespace, name));
  if (definition === undefined || object === undefined)
    return notFound({ group: '', resource: `${lower}s`, kind, gr: `${lower}s` }, name);
  if (lower === 'pod' && textOf(valueAt(object, ['spec', 'serviceAccountName'])) !== account)
    return badRequest(
      `cannot bind token for serviceaccount ${JSON.stringify(account)} to pod running with different serviceaccount name.`,
    );
  const uid = object.metadata.uid ?? '';
  const asked = textOf(ref['uid']);
  if (asked !== '' && asked !== uid)
    return conflict(
      { group: '', resource: kind, kind, gr: kind },
      name,
      `the UID in the bound object reference (${asked}) does not match the UID in record. The object might have been deleted and then recreated`,
    );
  return { bound: { kind: lower, object }, ...(lower === 'pod' ? nodeOf(kernel, object) : {}) };
}

function nodeOf(kernel: Kernel, pod: KubeObject): Pick<Bound, 'node'> {
  const name = textOf(valueAt(pod, ['spec', 'nodeName']));
  if (name === '') return {};
  const uid = kernel.store.get('nodes', rowKey('', name))?.metadata.uid;
  return { node: uid === undefined ? { name } : { name, uid } };
}
