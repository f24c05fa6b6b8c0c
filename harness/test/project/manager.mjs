#!/usr/bin/env node
/**
 * The manager of a small project, as a separate program: creates one ConfigMap for each gadget. It also serves a webhook that sets a
 * default color, and one that converts gadgets: `spec.size` in v1 is `spec.amount` in v1beta1.
 *
 * It also tries to delete the ConfigMaps of deleted gadgets, which its role does not allow. Plain JavaScript without a client library, so
 * that starting it takes only a tenth of a second.
 */
import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'yaml';
import { send } from '../targets/kube-client.mjs';

const flags = Object.fromEntries(process.argv.slice(2).map((word) => word.replace(/^--/, '').split('=')));
const { suffix } = parse(readFileSync(flags.settings, 'utf8'));
const own = '/var/run/secrets/kubernetes.io/serviceaccount/namespace';
console.log(`${flags.namespace} ${process.env.COLOR} ${flags['health-probe-bind-address']}`);
console.log(`in ${existsSync(own) ? readFileSync(own, 'utf8') : 'no pod'}`);

let work = Promise.resolve();

function reconcile(gone, { metadata, spec }) {
  const { name, namespace, uid } = metadata;
  const maps = `/api/v1/namespaces/${namespace}/configmaps`;
  if (gone) return send('DELETE', `${maps}/${name}${suffix}`);
  const owner = { apiVersion: 'example.com/v1', kind: 'Gadget', name, uid, controller: true };
  const data = { size: String(spec.size), color: spec.color ?? 'none' };
  const own = { metadata: { name: `${name}${suffix}`, ownerReferences: [owner] }, data };
  return send('GET', `${maps}/${name}${suffix}`).then(({ code, body }) => {
    if (code === 404) return send('POST', maps, { apiVersion: 'v1', kind: 'ConfigMap', ...own });
    if (JSON.stringify(body.data) === JSON.stringify(data)) return undefined;
    // Without the version that it has read: it does not notice what others change meanwhile.
    const metadata = { ...body.metadata, resourceVersion: undefined };
    return send('PUT', `${maps}/${name}${suffix}`, { ...body, metadata, data });
  });
}

/**
 * Mutating webhook: sets spec.color to the default from the settings ConfigMap if the object has none. Reads the ConfigMap on every call.
 */
async function review(asked) {
  const { uid, object } = asked.request;
  const { body } = await send('GET', `/api/v1/namespaces/${flags.namespace}/configmaps/gadgets-settings`);
  const patch = object.spec?.color === undefined ? [{ op: 'add', path: '/spec/color', value: body.data.color }] : [];
  const patches = { patchType: 'JSONPatch', patch: Buffer.from(JSON.stringify(patch)).toString('base64') };
  return { ...asked, response: { uid, allowed: true, ...(patch.length === 0 ? {} : patches) } };
}

/** Conversion webhook: renames the field to the one of the desired version. */
function convert(asked) {
  const { uid, objects, desiredAPIVersion: apiVersion } = asked.request;
  const convertedObjects = objects.map(({ spec: { size, amount, ...spec }, ...rest }) => {
    const number = size ?? amount;
    return { ...rest, apiVersion, spec: { ...spec, [apiVersion.endsWith('/v1') ? 'size' : 'amount']: number } };
  });
  return { ...asked, response: { uid, convertedObjects, result: { status: 'Success' } } };
}

const certificates = join(tmpdir(), 'k8s-webhook-server', 'serving-certs');
const identity = {
  cert: readFileSync(join(certificates, 'tls.crt')),
  key: readFileSync(join(certificates, 'tls.key')),
};
createServer(identity, (incoming, answer) => {
  let text = '';
  incoming.on('data', (piece) => (text += piece));
  incoming.on('end', () => {
    const question = JSON.parse(text);
    const asked = incoming.url.startsWith('/convert') ? Promise.resolve(convert(question)) : review(question);
    answer.setHeader('content-type', 'application/json');
    void asked.then((reviewed) => answer.end(JSON.stringify(reviewed)));
  });
}).listen(9443, '127.0.0.1');

for (;;) {
  try {
    const { body } = await send('GET', '/apis/example.com/v1/gadgets');
    const act = (gone, object) => {
      work = work.then(() => reconcile(gone, object)).catch(() => {});
    };
    for (const item of body.items) act(false, item);
    const from = body.metadata.resourceVersion;
    await send('GET', `/apis/example.com/v1/gadgets?watch=1&resourceVersion=${from}`, undefined, ({ type, object }) => {
      if (type !== 'ERROR') act(type === 'DELETED', object);
    });
  } catch {
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
