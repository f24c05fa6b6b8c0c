/**
 * Measures how long the embedded API server takes to start inside a running harness, until its first response over TLS: certificates, API
 * resources, port and a request.
 *
 * The modules are loaded before; everything else is cold. Prints milliseconds.
 */
import { once } from 'node:events';
import type { ClientRequest, IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { CertificateAuthority, serveHttp } from 'stalemate-apiserver/http';
import { createServer } from '../../harness/cli/embedded-server.ts';

const before = performance.now();
const authority = new CertificateAuthority();
const server = createServer();
const http = await serveHttp(server, {
  tls: { identity: authority.issueServer(), clientCa: authority.certificate },
  authentication: { tokens: new Map(), anonymous: { name: 'admin', groups: ['system:masters'] } },
});
server.boot(http.port);
const asked: ClientRequest = request(`${http.url}/api/v1/namespaces`, { ca: authority.certificate }).end();
const [answer] = (await once(asked, 'response')) as [IncomingMessage];
await once(answer.resume(), 'end');
const took = performance.now() - before;
await http.close();
if (answer.statusCode !== 200) throw new Error(`the server answered ${answer.statusCode}`);
process.stdout.write(JSON.stringify(took));
