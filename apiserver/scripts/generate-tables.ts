/**
 * Writes the columns of the built-in kinds' tables: `node apiserver/scripts/generate-tables.ts URL TOKEN`.
 *
 * URL and TOKEN name a real kube-apiserver of the imitated version: every table lists its columns, with or without rows. Columns that many
 * kinds share are written only once.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fetchJson } from './fetch-json.ts';

const OUTPUT = join(import.meta.dirname, '../server/tables/generated/columns.json');
/** The groups of built-in kinds; custom resources define columns in their CRDs. */
const BUILT_IN = /^[a-z]+$|\.k8s\.io$/;
const TABLE = 'application/json;as=Table;v=v1;g=meta.k8s.io';

const [url = '', token = ''] = process.argv.slice(2);

const get = <T>(path: string, accept?: string): Promise<T> =>
  fetchJson<T>(url + path, { token, ...(accept === undefined ? {} : { accept }) });

interface Resources {
  readonly resources: readonly { readonly name: string; readonly verbs: readonly string[] }[];
}
interface Groups {
  readonly groups: readonly {
    readonly name: string;
    readonly versions: readonly { readonly groupVersion: string; readonly version: string }[];
  }[];
}
interface Column {
  readonly name: string;
  readonly type: string;
  readonly format: string;
  readonly description: string;
  readonly priority: number;
}

const columns: Column[] = [];
const indexOf = new Map<string, number>();
const tables: Record<string, readonly number[]> = {};

async function add(prefix: string, group: string): Promise<void> {
  const { resources } = await get<Resources>(prefix);
  for (const { name, verbs } of resources) {
    if (!verbs.includes('list')) continue;
    const { columnDefinitions } = await get<{ readonly columnDefinitions: readonly Column[] }>(
      `${prefix}/${name}?limit=1`,
      TABLE,
    );
    tables[group === '' ? name : `${name}.${group}`] ??= columnDefinitions.map((column) => {
      const text = JSON.stringify(column);
      let index = indexOf.get(text);
      if (index === undefined) {
        indexOf.set(text, (index = columns.length));
        columns.push(column);
      }
      return index;
    });
  }
}

await add('/api/v1', '');
const { groups } = await get<Groups>('/apis');
for (const { name, versions } of groups)
  for (const { groupVersion } of versions) if (BUILT_IN.test(name)) await add(`/apis/${groupVersion}`, name);

const lines = (values: readonly string[]): string => values.join(',\n');
writeFileSync(
  OUTPUT,
  `{"columns":[\n${lines(columns.map((column) => JSON.stringify(column)))}\n],\n"tables":{\n${lines(
    Object.entries(tables).map(([name, indices]) => `${JSON.stringify(name)}:${JSON.stringify(indices)}`),
  )}\n}}\n`,
);
