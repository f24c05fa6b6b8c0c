import { describe, expect, it } from 'vitest';
import type { ApiResponse } from 'stalemate-apiserver/wire/http';
import { Denials } from './denials.ts';

const forbidden = (message: string): ApiResponse => ({ code: 403, body: { kind: 'Status', message } });

describe('what a real authorizer has refused', () => {
  it('is reported once each, with how often', () => {
    const denials = new Denials();
    const scale =
      'deployments.apps "web" is forbidden: User "system:serviceaccount:shop:manager" cannot update resource "deployments/scale" in API group "apps" in the namespace "shop"';

    for (const message of [scale, scale]) denials.answered(forbidden(message));
    denials.answered(forbidden('forbidden: User "system:serviceaccount:shop:manager" cannot get path "/metrics"'));
    denials.answered(
      forbidden('pods is forbidden: User "x" cannot list resource "pods" in API group "" at the cluster scope: why'),
    );

    expect(denials.all()).toMatchObject([
      { verb: 'update', resource: 'deployments', subresource: 'scale', group: 'apps', namespace: 'shop', times: 2 },
      { verb: 'get', path: '/metrics', isResource: false },
      { user: 'x', verb: 'list', resource: 'pods', group: '', namespace: '', subresource: '' },
    ]);
  });

  it('is no refusal of admission, and none of another code', () => {
    const denials = new Denials();

    denials.answered(forbidden('pods "a" is forbidden: exceeded quota: small'));
    denials.answered({ code: 409, body: 'User "x" cannot list resource "pods" in API group "" at the cluster scope' });

    expect(denials.all()).toEqual([]);
  });
});
