/**
 * A controller as a program of its own, in as little as it takes: it keeps one finalizer on every widget, and sets the whole list.
 *
 * Plain JavaScript without a client library, so that a life of it takes a tenth of a second.
 */
import { readFileSync } from 'node:fs';
import { Agent, request } from 'node:https';
import { parse } from 'yaml';

const config = parse(readFileSync(process.env.KUBECONFIG, 'utf8'));
const { server, 'certificate-authority-data': ca } = config.clusters[0].cluster;
const headers = { authorization: `Bearer ${config.users[0].user.token}` };
const agent = new Agent({ keepAlive: true, ca: Buffer.from(ca, 'base64') });
const WIDGETS = '/apis/example.com/v1/namespaces/default/widgets';

function send(method, path, body, onLine) {
  return new Promise((resolve, reject) => {
    const type = { 'content-type': 'application/merge-patch+json' };
    const asked = request(`${server}${path}`, { method, agent, headers: { ...headers, ...(body ? type : {}) } });
    asked.on('error', reject);
    asked.on('response', (answer) => {
      let text = '';
      answer.setEncoding('utf8');
      answer.on('data', (piece) => {
        text += piece;
        if (onLine === undefined) return;
        const lines = text.split('\n');
        text = lines.pop() ?? '';
        for (const line of lines) onLine(JSON.parse(line));
      });
      answer.on('error', reject);
      answer.on('end', () => resolve({ code: answer.statusCode, body: text === '' ? undefined : JSON.parse(text) }));
    });
    asked.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

let work = Promise.resolve();

function reconcile({ metadata }) {
  const finalizers = metadata.deletionTimestamp === undefined ? ['example.com/cleanup'] : [];
  const has = (metadata.finalizers ?? []).includes('example.com/cleanup');
  if (has === finalizers.length > 0) return;
  work = work.then(() => send('PATCH', `${WIDGETS}/${metadata.name}`, { metadata: { finalizers } })).catch(() => {});
}

for (;;) {
  try {
    const { body } = await send('GET', WIDGETS);
    for (const item of body.items) reconcile(item);
    const from = body.metadata.resourceVersion;
    await send('GET', `${WIDGETS}?watch=1&resourceVersion=${from}`, undefined, ({ type, object }) => {
      if (type === 'ADDED' || type === 'MODIFIED') reconcile(object);
    });
  } catch {
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
