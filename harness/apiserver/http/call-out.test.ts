import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import type { CallOutAnswer } from '../admission/call-out.ts';
import { httpsCallOut } from './call-out.ts';
import { CertificateAuthority } from './certificates.ts';

const identity = new CertificateAuthority().issueServer();
const server = createServer({ cert: identity.certificate, key: identity.key }, (incoming, response) => {
  incoming.resume().on('end', () => response.writeHead(200, { 'content-type': 'application/json' }).end('{"ok":true}'));
});

afterEach(() => {
  server.close();
});

async function ask(trusted: string): Promise<CallOutAnswer> {
  if (!server.listening) await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const caBundle = Buffer.from(trusted).toString('base64');
  const callOut = httpsCallOut();
  return new Promise((resolve) => {
    callOut({ url: `https://127.0.0.1:${port}/review`, caBundle, timeoutSeconds: 5, body: {} }, resolve);
  });
}

it('trusts a webhook whose own certificate is the bundle, as Go does', async () => {
  expect(await ask(identity.certificate)).toMatchObject({ outcome: 'answered', code: 200, body: '{"ok":true}' });
});

it('refuses one that the bundle does not vouch for, in the words of Go', async () => {
  expect(await ask(new CertificateAuthority().certificate)).toEqual({
    outcome: 'failed',
    why: 'tls: failed to verify certificate: x509: certificate signed by unknown authority',
  });
});
