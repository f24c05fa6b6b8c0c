/**
 * The gate as a proxy without faults or delays, in a separate process.
 *
 * gate-proxy.ts URL TOKEN prints its own URL; the token is the same on both sides
 */
import { CertificateAuthority } from 'stalemate-apiserver/http';
import { openFront } from '../../harness/gate/http/front.ts';
import { RemoteServer } from '../../harness/gate/http/remote.ts';

const [url = '', token = ''] = process.argv.slice(2);
const authority = new CertificateAuthority();
const remote = new RemoteServer({ url, insecure: true, authorization: () => `Bearer ${token}` });
const front = await openFront({
  remote,
  token,
  tls: { identity: authority.issueServer(), clientCa: authority.certificate },
});
process.stdout.write(`${front.url}\n`);
