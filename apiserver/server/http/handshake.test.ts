import { createServer, type Server } from 'node:https';
import { connect, createServer as createPlainServer, type AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CertificateAuthority } from './certificates.ts';
import { shakeHands, type Expected } from './handshake.ts';

const authority = new CertificateAuthority();
const errors: string[] = [];
let server: Server;

beforeAll(async () => {
  const { certificate, key } = authority.issueServer(['hook.default.svc']);
  server = createServer({ cert: certificate, key });
  server.on('tlsClientError', ({ message }) => errors.push(message));
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

function shaken(expected: Expected, { port } = server.address() as AddressInfo): Promise<string | null> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => void shakeHands(socket, expected).then(resolve, reject));
  });
}

describe('a handshake', () => {
  it('reports in Go’s words why a certificate is not trusted, without aborting the handshake', async () => {
    const ca = authority.certificate;

    expect(await shaken({ servername: 'hook.default.svc', ca })).toBeNull();
    expect(await shaken({ servername: 'hook.default.svc', ca: new CertificateAuthority().certificate })).toBe(
      'tls: failed to verify certificate: x509: certificate signed by unknown authority',
    );
    expect(await shaken({ servername: 'other.svc', ca })).toBe(
      'tls: failed to verify certificate: x509: certificate is valid for hook.default.svc, not other.svc',
    );
    expect(await shaken({ servername: 'other.svc' })).toBeNull();
    expect(errors).toEqual([]);
  });

  it('fails when the port does not speak TLS', async () => {
    const plain = createPlainServer((socket) => socket.destroy());
    await new Promise<void>((resolve) => {
      plain.listen(0, '127.0.0.1', resolve);
    });

    expect(await shaken({ servername: 'hook.default.svc' }, plain.address() as AddressInfo)).toBe('EOF');
    plain.close();
  });
});
