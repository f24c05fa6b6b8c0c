/**
 * A certificate with the same subject as its authority, as some controller managers create it: Go trusts it, OpenSSL takes it for
 * self-signed.
 */
import { createServer, type Server } from 'node:https';
import { connect, type AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { CertificateAuthority } from './certificates.ts';
import { shakeHands } from './handshake.ts';
import { httpsCallOut } from './call-out.ts';
import type { CallOutAnswer } from '../admission/call-out.ts';

const CA = `-----BEGIN CERTIFICATE-----
MIIBVjCB/aADAgECAgEBMAoGCCqGSM49BAMCMBIxEDAOBgNVBAoTB0V4YW1wbGUw
IBcNMjYwMTAxMDAwMDAwWhgPMjEyNjAxMDEwMDAwMDBaMBIxEDAOBgNVBAoTB0V4
YW1wbGUwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAAQZCuXLASI82b04hEgocfUh
zgl6LkL+O3sAAt41wrEDVImYtmAULGiflwPip1PduSXUTehS9NwfE+xgTK/IsPqV
o0IwQDAOBgNVHQ8BAf8EBAMCAoQwDwYDVR0TAQH/BAUwAwEB/zAdBgNVHQ4EFgQU
J9KQVCPVpX1cMBYDhw07X1GZLTowCgYIKoZIzj0EAwIDSAAwRQIgRzhCRZp44kJY
oRvW8Ur7kxQ0bOrdADit1mY8mxah1wcCIQDaOEQw8HBO3NMIoNkh07wkqa56z8l4
NTcM5HXgTaakVw==
-----END CERTIFICATE-----
`;
const CERTIFICATE = `-----BEGIN CERTIFICATE-----
MIIBZzCCAQ2gAwIBAgIBAjAKBggqhkjOPQQDAjASMRAwDgYDVQQKEwdFeGFtcGxl
MCAXDTI2MDEwMTAwMDAwMFoYDzIxMjYwMTAxMDAwMDAwWjASMRAwDgYDVQQKEwdF
eGFtcGxlMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEvcBhFLUumC+RMq0xIGeV
32MoKoeWIPemjvKP7gfm5cT4b7wtrA5OQunET7OX2+mxblAsvpHKHO1VuPE1kBlA
r6NSMFAwDgYDVR0PAQH/BAQDAgeAMBMGA1UdJQQMMAoGCCsGAQUFBwMBMAwGA1Ud
DgQFBAMBAgMwGwYDVR0RBBQwEoIQaG9vay5kZWZhdWx0LnN2YzAKBggqhkjOPQQD
AgNIADBFAiB4f/O/QWTDvZkWFJx5p60wsO+c/Y3THyoWeoRpZBlrpAIhAIt2nI+i
uMdnCWw3fvjvaICiMhGYsr2XDEHHmMfB3cDZ
-----END CERTIFICATE-----
`;
const KEY = `-----BEGIN EC PRIVATE KEY-----
MHcCAQEEIEwihsjXpBsRA2p253QcUcbe4cNvjEPWvkWIyhoQrDBAoAoGCCqGSM49
AwEHoUQDQgAEvcBhFLUumC+RMq0xIGeV32MoKoeWIPemjvKP7gfm5cT4b7wtrA5O
QunET7OX2+mxblAsvpHKHO1VuPE1kBlArw==
-----END EC PRIVATE KEY-----
`;
const OTHER = new CertificateAuthority().certificate;
const UNKNOWN = 'tls: failed to verify certificate: x509: certificate signed by unknown authority';

let server: Server;
let port: number;

beforeAll(async () => {
  server = createServer({ cert: CERTIFICATE, key: KEY }, (_, answer) => answer.end('{}'));
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  ({ port } = server.address() as AddressInfo);
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

it.each([
  ['hook.default.svc', CA, null],
  ['hook.default.svc', `${OTHER}\n${CA}`, null],
  ['hook.default.svc', OTHER, UNKNOWN],
  [
    'other.svc',
    CA,
    'tls: failed to verify certificate: x509: certificate is valid for hook.default.svc, not other.svc',
  ],
])('is trusted in a handshake only by its name and its authority (%s)', async (servername, ca, why) => {
  const socket = connect(port, '127.0.0.1');

  expect(await shakeHands(socket, { servername, ca })).toBe(why);
});

it.each([
  [CA, { outcome: 'answered', code: 200 }],
  [OTHER, { outcome: 'failed', why: UNKNOWN }],
])('is trusted in a call only by its authority', async (ca, expected) => {
  const callOut = httpsCallOut({ resolveService: () => `127.0.0.1:${port}` });
  const answered = await new Promise<CallOutAnswer>((resolve) => {
    callOut(
      {
        url: 'https://hook.default.svc:443/',
        service: { namespace: 'default', name: 'hook', port: 443, exists: true, clusterIp: '' },
        caBundle: Buffer.from(ca).toString('base64'),
        timeoutSeconds: 5,
        body: {},
      },
      resolve,
    );
  });

  expect(answered).toMatchObject(expected);
});
