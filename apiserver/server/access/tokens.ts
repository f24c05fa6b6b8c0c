/**
 * Tokens of service accounts: JSON Web Tokens that this server signs and verifies.
 *
 * Owns: claims, signature, reasons that make a token invalid. Tokens are signed with an HMAC instead of RSA, because only this server has
 * to verify them. In a trial the key is fixed, so that the same request gets the same token in every run. Start at {@link signToken} and
 * {@link verifyToken}.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { isMap, mapOf, textOf, textsOf } from '../../objects/json.ts';
import type { JsonObject, KubeObject } from '../../objects/object.ts';
import type { UserInfo } from '../../wire/http.ts';
import { rowKey, type Store } from '../store.ts';
import { serviceAccountGroups } from './impersonation.ts';

/** The usual `--service-account-issuer` of real control planes. */
export const ISSUER = 'https://kubernetes.default.svc.cluster.local';

/** The key of servers that are only reachable in process. */
export const TRIAL_KEY = 'stalemate service account signing key';

export interface TokenClaims {
  readonly account: KubeObject;
  readonly audiences: readonly string[];
  readonly issuedAt: number;
  readonly expiresAt: number;
  readonly id: string;
  /** The pod, secret or node that the token is bound to. */
  readonly bound?: { readonly kind: 'pod' | 'secret' | 'node'; readonly object: KubeObject };
  /** The node that the bound pod runs on. */
  readonly node?: { readonly name: string; readonly uid?: string };
}

export function signToken(claims: TokenClaims, key: string): string {
  const { account, bound, node } = claims;
  const { name = '', namespace = '' } = account.metadata;
  const payload: JsonObject = {
    aud: claims.audiences,
    exp: claims.expiresAt,
    iat: claims.issuedAt,
    iss: ISSUER,
    jti: claims.id,
    'kubernetes.io': {
      namespace,
      ...(node === undefined ? {} : { node }),
      ...(bound === undefined ? {} : { [bound.kind]: reference(bound.object) }),
      serviceaccount: reference(account),
    },
    nbf: claims.issuedAt,
    sub: `system:serviceaccount:${namespace}:${name}`,
  };
  const signed = `${encoded({ alg: 'HS256', typ: 'JWT' })}.${encoded(payload)}`;
  return `${signed}.${signature(signed, key)}`;
}

function reference({ metadata }: KubeObject): JsonObject {
  return { name: metadata.name ?? '', uid: metadata.uid ?? '' };
}

function encoded(value: JsonObject): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

function signature(signed: string, key: string): string {
  return createHmac('sha256', key).update(signed).digest('base64url');
}

export interface Verified {
  readonly user: UserInfo;
  readonly audiences: readonly string[];
}

/** Returns the user of a token; undefined when it was signed by another server, has expired, or its account or bound object is gone. */
export function verifyToken(
  store: Store,
  nowMs: number,
  token: string,
  key: string,
  audiences: readonly string[] = [ISSUER],
): Verified | undefined {
  const [header = '', body = '', signed = '', rest] = token.split('.');
  if (rest !== undefined || !sameText(signature(`${header}.${body}`, key), signed)) return undefined;
  const claims = JSON.parse(Buffer.from(body, 'base64url').toString()) as JsonObject;
  const known = textsOf(claims['aud']).filter((one) => audiences.includes(one));
  if (known.length === 0 || Number(claims['exp']) * 1000 <= nowMs) return undefined;
  const about = mapOf(claims['kubernetes.io']);
  const namespace = textOf(about['namespace']);
  const account = mapOf(about['serviceaccount']);
  const extra: { [key: string]: readonly string[] } = {
    'authentication.kubernetes.io/credential-id': [`JTI=${textOf(claims['jti'])}`],
  };
  const alive = (resource: string, home: string, ref: JsonObject): boolean =>
    store.get(resource, rowKey(home, textOf(ref['name'])))?.metadata.uid === ref['uid'];
  if (!alive('serviceaccounts', namespace, account)) return undefined;
  const pod = about['pod'];
  if (isMap(pod)) {
    if (!alive('pods', namespace, pod)) return undefined;
    extra['authentication.kubernetes.io/pod-name'] = [textOf(pod['name'])];
    extra['authentication.kubernetes.io/pod-uid'] = [textOf(pod['uid'])];
  }
  const secret = about['secret'];
  if (isMap(secret) && !alive('secrets', namespace, secret)) return undefined;
  const node = about['node'];
  if (isMap(node)) {
    if (!isMap(pod) && !alive('nodes', '', node)) return undefined;
    extra['authentication.kubernetes.io/node-name'] = [textOf(node['name'])];
    if (node['uid'] !== undefined) extra['authentication.kubernetes.io/node-uid'] = [textOf(node['uid'])];
  }
  const groups = [...serviceAccountGroups(namespace), 'system:authenticated'];
  return {
    user: { name: textOf(claims['sub']), uid: textOf(account['uid']), groups, extra },
    audiences: known,
  };
}

function sameText(one: string, other: string): boolean {
  const left = Buffer.from(one);
  const right = Buffer.from(other);
  return left.length === right.length && timingSafeEqual(left, right);
}
