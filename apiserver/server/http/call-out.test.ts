import { createServer, type Server } from 'node:https';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ApiResponse } from '../../wire/http.ts';
import type { CallOut, CallOutAnswer } from '../admission/call-out.ts';
import { CONFIGMAPS_PATH, configMap, testServer } from '../testing.ts';
import { CertificateAuthority } from './certificates.ts';
import { httpsCallOut } from './call-out.ts';

const authority = new CertificateAuthority();
const caBundle = Buffer.from(authority.certificate).toString('base64');
let handle: (request: IncomingMessage, body: string, response: ServerResponse) => void = (_, __, response) => {
  response.end('{}');
};
let webhook: Server;
let port = 0;

beforeAll(async () => {
  const { certificate, key } = authority.issueServer(['127.0.0.1', 'hook.default.svc']);
  webhook = createServer({ cert: certificate, key }, (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => handle(request, Buffer.concat(chunks).toString(), response));
  });
  await new Promise<void>((resolve) => {
    webhook.listen(0, '127.0.0.1', resolve);
  });
  ({ port } = webhook.address() as AddressInfo);
});

afterAll(() => {
  webhook.closeAllConnections();
  webhook.close();
});

function call(more: Partial<CallOut> = {}, options: Parameters<typeof httpsCallOut>[0] = {}): Promise<CallOutAnswer> {
  const asked = { url: `https://127.0.0.1:${port}/hook`, caBundle, timeoutSeconds: 10, body: { a: 1 }, ...more };
  return new Promise((resolve) => {
    httpsCallOut(options)(asked, resolve);
  });
}

describe('a call over HTTPS', () => {
  it('times out by the given clock', async () => {
    let isAsked = (): void => {};
    const asked = new Promise<void>((resolve) => (isAsked = resolve));
    handle = () => isAsked();
    const timers: (readonly [delayMs: number, call: () => void])[] = [];
    const answer = call({}, { after: (...timer) => (timers.push(timer), () => {}) });

    await asked;
    expect(timers.map(([delayMs]) => delayMs)).toEqual([10_000]);
    timers[0]?.[1]();
    expect(await answer).toEqual({ outcome: 'failed', why: 'context deadline exceeded' });
  });

  it('posts JSON and returns the answer', async () => {
    handle = ({ method, url, headers }, body, response) => {
      response.writeHead(201, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ method, url, agent: headers['user-agent'], body }));
    };
    const answer = await call();
    expect(answer).toMatchObject({ outcome: 'answered', code: 201, contentType: 'application/json' });
    expect(JSON.parse(answer.outcome === 'answered' && typeof answer.body === 'string' ? answer.body : '')).toEqual({
      method: 'POST',
      url: '/hook?timeout=10s',
      agent: 'kube-apiserver-admission',
      body: '{"a":1}',
    });
  });

  it("fails with Go's errors", async () => {
    handle = (_, __, response) => response.destroy();
    expect(await call()).toEqual({ outcome: 'failed', why: 'EOF' });
    expect(await call({ url: 'https://127.0.0.1:1/x' })).toEqual({
      outcome: 'failed',
      why: 'dial tcp 127.0.0.1:1: connect: connection refused',
    });
    const other = Buffer.from(new CertificateAuthority().certificate).toString('base64');
    expect(await call({ caBundle: other })).toEqual({
      outcome: 'failed',
      why: 'tls: failed to verify certificate: x509: certificate signed by unknown authority',
    });
  });

  it('aborts an answer of more than nine mebibytes', async () => {
    handle = (_, __, response) => response.end(Buffer.alloc(10 * 1024 * 1024, ' '));
    const answer = await call();
    // Does not compare the whole answer: a failing comparison of megabytes would take minutes.
    expect(answer.outcome === 'failed' ? answer.why : answer.outcome).toBe('unexpected EOF');
  });

  it('times out when the webhook takes too long', async () => {
    handle = () => {};
    expect(await call({ timeoutSeconds: 0.05 })).toEqual({ outcome: 'failed', why: 'context deadline exceeded' });
  });

  it('resolves services with the given function', async () => {
    handle = ({ headers }, _, response) => response.end(JSON.stringify({ host: headers.host }));
    const service = { namespace: 'default', name: 'hook', port: 443, exists: true, clusterIp: '10.0.0.9' };
    const url = 'https://hook.default.svc:443/p';
    const answer = await call({ url, service }, { resolveService: () => `127.0.0.1:${port}` });
    expect(answer).toMatchObject({ outcome: 'answered', code: 200 });
    expect(await call({ url, service })).toEqual({
      outcome: 'failed',
      why: 'dial tcp 10.0.0.9:443: connect: no route to host',
    });
    expect(await call({ url, service: { ...service, exists: false } })).toEqual({
      outcome: 'failed',
      why: 'service "hook" not found',
    });
  });
});

it('carries the reviews of a server to a webhook and back', async () => {
  handle = (_, body, response) => {
    const { request } = JSON.parse(body) as { readonly request: { readonly uid: string; readonly name: string } };
    const patch = Buffer.from(JSON.stringify([{ op: 'add', path: '/data', value: { by: request.name } }]));
    const answer = { uid: request.uid, allowed: true, patchType: 'JSONPatch', patch: patch.toString('base64') };
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', response: answer }));
  };
  const { request, server } = testServer({ callOut: httpsCallOut() });
  request('POST', '/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations', {
    metadata: { name: 'm' },
    webhooks: [
      {
        name: 'm.example.com',
        admissionReviewVersions: ['v1'],
        sideEffects: 'None',
        clientConfig: { url: `https://127.0.0.1:${port}/m`, caBundle },
        rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] }],
      },
    ],
  });
  const answer = await new Promise<ApiResponse>((resolve) => {
    const sent = { method: 'POST', path: CONFIGMAPS_PATH, query: {}, headers: {}, body: configMap('a') } as const;
    server.send(sent, { answer: resolve, open: () => {}, event: () => {}, end: () => {} });
  });
  expect(answer).toMatchObject({ code: 201, body: { data: { by: 'a' } } });
});
