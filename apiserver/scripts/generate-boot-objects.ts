/**
 * Writes `apiserver/server/kinds/generated/boot.json`: the objects that kube-apiserver creates when it starts on an empty etcd.
 *
 * Reads them from a running server: `node apiserver/scripts/generate-boot-objects.ts URL TOKEN`. Leaves out fields that the embedded server
 * sets itself (uids, versions, times) and the namespaces, which it always has. Roles are written by `generate-bootstrap-rbac.ts`.
 */
import { writeFileSync } from 'node:fs';
import { fetchJson } from './fetch-json.ts';

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

const [url, token] = process.argv.slice(2);
if (url === undefined || token === undefined) throw new Error('usage: generate-boot-objects.ts URL TOKEN');
const objects: unknown[] = [];
for (const path of COLLECTIONS) {
  const { kind, apiVersion, items } = await fetchJson<List>(`${url}/${path}`, { token });
  for (const { metadata, ...rest } of items) {
    const { uid: _, resourceVersion: __, creationTimestamp: ___, managedFields: ____, ...kept } = metadata;
    objects.push({ apiVersion, kind: kind.replace(/List$/, ''), metadata: kept, ...rest });
  }
}
const text = JSON.stringify(objects).replaceAll(/"lastTransitionTime":"[^"]*"/g, '"lastTransitionTime":"NOW"');
writeFileSync(TARGET, `${text.replaceAll('},{"apiVersion"', '},\n{"apiVersion"')}\n`);
console.log(`${objects.length} objects written`);
