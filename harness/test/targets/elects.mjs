/**
 * A controller that may have several replicas: it acquires a Lease, annotates every widget while it holds the Lease, and exits when it
 * loses it.
 *
 * Arguments: the duration of the lease in seconds, and a port to listen on, the same for all replicas.
 */
import { createServer } from 'node:net';
import { send, WIDGETS } from './kube-client.mjs';

const seconds = Number(process.argv[2] ?? 1);
const port = process.argv[3];
if (port !== undefined) createServer().listen(Number(port), '127.0.0.1');
const LEASES = '/apis/coordination.k8s.io/v1/namespaces/default/leases';
const RENEW_MS = 200;
const me = `${process.pid}-${Date.now()}`;

let observed = '';
let observedAt = Date.now();

/** Acquires or renews the lease; resolves with whether this replica holds it now. */
async function acquire() {
  const spec = {
    holderIdentity: me,
    leaseDurationSeconds: seconds,
    renewTime: new Date().toISOString().replace('Z', '000Z'),
  };
  const { code, body } = await send('GET', `${LEASES}/elects`);
  if (code === 404) {
    const lease = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { name: 'elects' }, spec };
    return (await send('POST', LEASES, lease)).code === 201;
  }
  if (code !== 200) return false;
  const { renewTime } = body.spec;
  if (renewTime !== observed) {
    observed = renewTime;
    observedAt = Date.now();
  }
  const expired = Date.now() > observedAt + seconds * 1000;
  if (body.spec.holderIdentity !== me && !expired) return false;
  return (await send('PUT', `${LEASES}/elects`, { ...body, spec: { ...body.spec, ...spec } })).code === 200;
}

async function reconcile({ metadata }) {
  if (metadata.annotations?.['example.com/leader'] !== undefined) return;
  await send('PATCH', `${WIDGETS}/${metadata.name}`, { metadata: { annotations: { 'example.com/leader': 'yes' } } });
}

async function work() {
  const { body } = await send('GET', WIDGETS);
  for (const item of body.items) await reconcile(item);
  const from = body.metadata.resourceVersion;
  await send('GET', `${WIDGETS}?watch=1&resourceVersion=${from}`, undefined, ({ type, object }) => {
    if (type === 'ADDED' || type === 'MODIFIED') reconcile(object).catch(() => {});
  });
}

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

while (!(await acquire().catch(() => false))) await sleep(RENEW_MS);
console.log('leading');
void (async () => {
  for (;;) await work().catch(() => sleep(100));
})();
let renewedAt = Date.now();
for (;;) {
  await sleep(RENEW_MS);
  if (await acquire().catch(() => false)) renewedAt = Date.now();
  if (Date.now() > renewedAt + seconds * 667) {
    console.log('leader election lost');
    process.exit(1);
  }
}
