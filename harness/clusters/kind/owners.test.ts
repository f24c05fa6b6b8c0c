/** Who owns a kind cluster, and whether it is still in use. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { identityOf, ourHost } from 'stalemate-apiserver/processes/process-identity';
import { OwnedClusters } from './owners.ts';

let root: string;
let owned: OwnedClusters;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'owners-test-'));
  owned = new OwnedClusters(root);
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(root, { recursive: true, force: true });
});

function owner(cluster: string, said: object): void {
  mkdirSync(join(root, cluster));
  writeFileSync(join(root, cluster, 'owner.json'), JSON.stringify({ cluster, engine: 'docker', keep: false, ...said }));
}

const names = (): readonly string[] => owned.abandoned().map(({ cluster }) => cluster);

it('leaves a cluster alone whose run goes on, here or in another container', () => {
  owned.claim('here', 'docker', false);
  owner('elsewhere', { version: 2, process: { host: 'another pid:[1]', pid: 999_999_999, started: '1' } });
  owner('old', { version: 1, pid: 999_999_999, began: '' });

  expect(names()).toEqual([]);
  expect(owned.userOf('here')).toEqual(identityOf(process.pid));
});

it('knows that a process has ended where there is no ps, and where others have got its number', () => {
  vi.stubEnv('PATH', '');
  owner('ended', {
    version: 2,
    process: { host: ourHost(), pid: spawnSync(process.execPath, ['--version']).pid, started: '1' },
  });
  owner('half-made', { version: 2, process: { host: ourHost(), pid: 999_999_999, started: '1' }, keep: true });
  owner('reused', { version: 2, process: { host: ourHost(), pid: process.pid, started: '1' } });

  expect(names()).toEqual(['ended', 'half-made', 'reused']);
});

it('leaves a kept cluster to the next run', () => {
  owned.claim('kept', 'docker', true);
  owned.made('kept');
  owned.release('kept');

  expect(names()).toEqual([]);
  expect(owned.userOf('kept')).toBeUndefined();
});
