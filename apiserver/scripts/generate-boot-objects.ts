/**
 * Writes `apiserver/server/kinds/generated/boot.json`: the objects that kube-apiserver creates when it starts on an empty etcd.
 *
 * Reads it from a running server: `node apiserver/scripts/generate-boot-objects.ts URL TOKEN`. Leaves out fields that the embedded server
 * sets itself (uids, versions, times) and the namespaces, which it always has. Roles have a script of their own.
 */
import { writeFileSync } from 'node:fs';
import { request } from 'node:https';

const TARGET = new URL('../server/kinds/generated/boot.json', import.meta.url);

const COLLECTIONS = [
  'api/v1/services',
  'apis/apiregistration.k8s.io/v1/apiservices',
  'apis/flowcontrol.apiserver.k8s.io/v1/flowschemas',
  'apis/flowcontrol.apiserver.k8s.io/v1/prioritylevelconfigurations',
  'apis/networking.k8s.io/v1/ipaddresses',
  'apis/networking.k8s.io/v1/servicecidrs',
  'apis/scheduling.k8s.io/v1/priorityclasses',
] as const;

interface List {
  readonly kind: string;
  readonly apiVersion: string;
  readonly items: readonly { readonly metadata: Readonly<Record<string, unknown>> }[];
}

function fetchList(url: string, token: string, path: string): Promise<List> {
  return new Promise((resolve, reject) => {
    // A test server signs its own certificate.
    const options = { headers: { authorization: `Bearer ${token}` }, rejectUnauthorized: false };
    request(`${url}/${path}`, options, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => {
        const text = Buffer.concat(chunks).toString();
        if (response.statusCode === 200) resolve(JSON.parse(text) as List);
        else reject(new Error(`${path}: ${response.statusCode ?? 0} ${text}`));
      });
    })
      .on('error', reject)
      .end();
  });
}

const [url, token] = process.argv.slice(2);
if (url === undefined || token === undefined) throw new Error('usage: generate-boot-objects.ts URL TOKEN');
const objects: unknown[] = [];
for (const path of COLLECTIONS) {
  const { kind, apiVersion, items } = await fetchList(url, token, path);
  for (const { metadata, ...rest } of items) {
    const { uid: _, resourceVersion: __, creationTimestamp: ___, managedFields: ____, ...kept } = metadata;
    objects.push({ apiVersion, kind: kind.replace(/List$/, ''), metadata: kept, ...rest });
  }
}
const text = JSON.stringify(objects).replaceAll(/"lastTransitionTime":"[^"]*"/g, '"lastTransitionTime":"NOW"');
writeFileSync(TARGET, `${text.replaceAll('},{"apiVersion"', '},\n{"apiVersion"')}\n`);
console.log(`${objects.length} objects written`);
