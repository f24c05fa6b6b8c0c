#!/usr/bin/env node
/**
 * A manager that issues the certificate of its webhook itself, as cert-controller does in Go: it writes the certificate into a Secret and
 * the CA into the webhook configuration, then waits until the Secret is mounted at a hard-coded path. It also writes into a volume.
 *
 * BEHAVIOUR: `late` answers 404 twice, like a port whose handlers are registered later; `elsewhere` listens on another port; `ends` exits
 * before it listens; `slow` takes 15 s to answer for objects with the color slow.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:https';
import { setTimeout as passed } from 'node:timers/promises';
import { CertificateAuthority } from 'stalemate-apiserver/http';
import { send } from '../targets/kube-client.mjs';

const MOUNTED = '/tmp/k8s-webhook-server/serving-certs';
const SECRET = '/api/v1/namespaces/gadgets-system/secrets/webhook-server-cert';
const CONFIGURATION = '/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations/gadgets-defaults';
const BEHAVIOUR = process.env.BEHAVIOUR ?? '';

const base64 = (text) => Buffer.from(text).toString('base64');

async function rotate() {
  const { body: secret } = await send('GET', SECRET);
  if (secret.data?.['tls.crt'] !== undefined) return;
  const authority = new CertificateAuthority();
  const { certificate, key } = authority.issueServer(['gadgets-webhook.gadgets-system.svc']);
  const data = { 'tls.crt': base64(certificate), 'tls.key': base64(key), 'ca.crt': base64(authority.certificate) };
  await send('PUT', SECRET, { ...secret, data });
}

async function inject() {
  const { body: secret } = await send('GET', SECRET);
  const { body: configuration } = await send('GET', CONFIGURATION);
  const webhooks = configuration.webhooks.map((webhook) => ({
    ...webhook,
    clientConfig: { ...webhook.clientConfig, caBundle: secret.data['ca.crt'] },
  }));
  await send('PUT', CONFIGURATION, { ...configuration, webhooks });
}

async function review({ request: { uid, object }, ...asked }) {
  if (object.spec?.color === 'slow' && BEHAVIOUR === 'slow') await passed(15_000);
  const patch = base64(JSON.stringify([{ op: 'add', path: '/spec/color', value: 'mounted' }]));
  return { ...asked, response: { uid, allowed: true, patchType: 'JSONPatch', patch } };
}

await rotate();
await inject();
for (let delayMs = 500; !existsSync(`${MOUNTED}/tls.crt`); delayMs *= 2) await passed(delayMs);
// An emptyDir of its Deployment, in a folder that no system has.
writeFileSync('/gadgets-scratch/ready', '');
console.log('mounted');
if (BEHAVIOUR === 'ends') process.exit(3);
let unregistered = BEHAVIOUR === 'late' ? 2 : 0;
const identity = { cert: readFileSync(`${MOUNTED}/tls.crt`), key: readFileSync(`${MOUNTED}/tls.key`) };
createServer(identity, (incoming, answer) => {
  let text = '';
  incoming.on('data', (piece) => (text += piece));
  incoming.on('end', () => {
    if (unregistered-- > 0) {
      answer.writeHead(404).end('404 page not found\n');
      return;
    }
    answer.setHeader('content-type', 'application/json');
    void review(JSON.parse(text)).then((reviewed) => answer.end(JSON.stringify(reviewed)));
  });
}).listen(BEHAVIOUR === 'elsewhere' ? 9444 : 9443, '127.0.0.1');

for (;;) {
  const { body } = await send('GET', '/apis/example.com/v1/gadgets');
  const from = body.metadata.resourceVersion;
  await send('GET', `/apis/example.com/v1/gadgets?watch=1&resourceVersion=${from}`, undefined, () => {});
  await passed(1_000);
}
