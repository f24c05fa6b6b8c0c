import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { allowCluster, allowedClusters } from './allowed-clusters.ts';

const folder = mkdtempSync(join(tmpdir(), 'allowed-clusters-test-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it('keeps what was allowed, one entry for each cluster, for its owner alone', () => {
  const file = join(folder, 'below', 'clusters.json');
  expect(allowedClusters(file)).toEqual({ contexts: [], clusters: [] });

  allowCluster({ uid: '1', context: 'a', server: 'https://a' }, file);
  allowCluster({ uid: '2', context: 'b', server: 'https://b' }, file);
  allowCluster({ uid: '1', context: 'c', server: 'https://c' }, file);

  expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ version: 1 });
  expect(allowedClusters(file).clusters.map(({ uid, context }) => [uid, context])).toEqual([
    ['2', 'b'],
    ['1', 'c'],
  ]);
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

it('reads what a person writes, and what later versions add', () => {
  const file = join(folder, 'own.json');
  writeFileSync(file, '{"version": 1, "contexts": ["dev"], "clusters": [{"uid": "1", "since": "today"}], "more": 1}');

  expect(allowedClusters(file)).toEqual({ contexts: ['dev'], clusters: [{ uid: '1', context: '', server: '' }] });
});

it.each(['{', '[]', '{"version": 2}', '{"version": 1, "contexts": "dev"}', '{"version": 1, "clusters": ["dev"]}'])(
  'allows nothing by %s',
  (text) => {
    const file = join(folder, 'wrong.json');
    writeFileSync(file, text);

    expect(() => allowedClusters(file)).toThrow(/wrong\.json" .*, expected \{"version": 1.*correct it, or remove it/);
  },
);
