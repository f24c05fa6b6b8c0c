/** Tests whether time may pass during a call of a webhook, over a real connection. */
import { createServer, type Server } from 'node:https';
import { connect, type AddressInfo } from 'node:net';
import { afterEach, expect, it, vi } from 'vitest';
import type { CallOutAnswer } from 'stalemate-apiserver';
import { CertificateAuthority } from 'stalemate-apiserver/http';
import type { World } from '../run/world.ts';
import { WebhookCalls } from './webhook-calls.ts';

const world = {
  gate: { pending: [], activity: 0 },
  recorder: { resumable: () => (act: () => void) => act() },
} as unknown as World;

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

it('lets no time pass while bytes of a question or its answer are on their way', async () => {
  const authority = new CertificateAuthority();
  const { certificate, key } = authority.issueServer(['hook.default.svc']);
  const { promise: asked, resolve: isAsked } = Promise.withResolvers<() => void>();
  const server = createServer({ cert: certificate, key }, (_, response) => isAsked(() => response.end('{}')));
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const calls = new WebhookCalls({
    run: () => world,
    portOf: () => ({ port, name: 'webhook' }),
    asked: () => [],
    time: { after: () => () => {}, now: () => 0 },
    connect: (to) =>
      new Promise((resolve, reject) => {
        const socket = connect(to, '127.0.0.1');
        socket.once('connect', () => resolve(socket)).once('error', reject);
      }),
    told: () => {},
  });

  const answered = new Promise<CallOutAnswer>((resolve) => {
    calls.ask(
      {
        url: 'https://hook.default.svc:443/',
        service: { namespace: 'default', name: 'hook', port: 443, exists: true, clusterIp: '10.0.0.1' },
        caBundle: Buffer.from(authority.certificate).toString('base64'),
        timeoutSeconds: 10,
        body: {},
      },
      resolve,
    );
  });
  const connecting = calls.holdup(world);
  const answer = await asked;
  const afterHandshake = calls.holdup(world);
  // TLS session tickets still arrive after the handshake.
  await vi.waitFor(() => expect(calls.holdup(world)).toBe('timed'), 10_000);
  answer();

  expect(await answered).toMatchObject({ outcome: 'answered', code: 200, body: '{}' });
  expect([connecting, afterHandshake, calls.holdup(world)]).toEqual(['instant', 'instant', 'none']);
});
