/** Which kind clusters are created, reused and deleted: with fake programs that keep a state like that of kind. */
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { ourHost } from 'stalemate-apiserver/processes/process-identity';
import { makeKindCluster, type KindCluster } from './kind-cluster.ts';

const IMAGE = 'kindest/node:v1.34.2';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'kind-cluster-test-'));
  mkdirSync(join(folder, 'clusters'));
  vi.stubEnv('PATH', `${folder}:/usr/bin:/bin`);
  vi.stubEnv('XDG_STATE_HOME', folder);
  vi.stubEnv('KIND_EXPERIMENTAL_PROVIDER', 'docker');
  program('docker', `case "$1" in exec) [ ! -e ${folder}/broken ] ;; esac`);
  program(
    'kind',
    `cd ${folder}; echo "$*" >>calls
case "$1 $2" in
  "create cluster")
    if [ -e clusters/$4 ]; then echo "ERROR: $4 is there" >&2; exit 1; fi
    touch clusters/$4
    if [ -e taken ]; then rm taken; echo "ERROR: port is already allocated" >&2; exit 1; fi ;;
  "delete cluster") rm -f clusters/$4 ;;
  "get clusters") ls clusters ;;
  "get nodes") ls clusters | grep -x -- $4 || true ;;
esac`,
  );
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true, force: true });
});

function program(name: string, script: string): void {
  writeFileSync(join(folder, name), `#!/bin/sh\n${script}\n`);
  chmodSync(join(folder, name), 0o755);
}

const make = (): Promise<KindCluster> => makeKindCluster({ image: IMAGE, keep: true, logFolder: folder });
const clusters = (): readonly string[] => readdirSync(join(folder, 'clusters'));
const calls = (): readonly string[] => readFileSync(join(folder, 'calls'), 'utf8').split('\n');
const stateOf = (name: string, file: string): string => join(folder, 'stalemate', 'kind', name, file);

it('creates a kept cluster again whose creation never finished', async () => {
  const first = await make();
  const { access } = first;
  await first.close();
  const owner = JSON.parse(readFileSync(stateOf(access.name, 'owner.json'), 'utf8')) as object;
  // The state that a killed run leaves.
  const killed = { isMade: false, process: { host: ourHost(), pid: 999_999_999, started: '1' } };
  writeFileSync(stateOf(access.name, 'owner.json'), JSON.stringify({ ...owner, ...killed }));

  const again = await make();
  await again.close();

  expect([again.isReused, again.access.name]).toEqual([false, access.name]);
  expect((await make()).isReused).toBe(true);
});

it("is one run's alone when two start together", async () => {
  const both = await Promise.allSettled([make(), make()]);

  const made = both.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  const [refused] = both.flatMap((one) => (one.status === 'rejected' ? [String(one.reason)] : []));
  expect(made).toHaveLength(1);
  expect(refused).toMatch(/is another run's right now/);
  expect(clusters()).toEqual([made[0]?.access.name]);
  await made[0]?.close();
  expect(calls().filter((call) => call.startsWith('create') || call.startsWith('delete'))).toHaveLength(1);
});

it('leaves a kept cluster alone that does not answer, and says how to be rid of it', async () => {
  const first = await make();
  const { access } = first;
  await first.close();
  writeFileSync(join(folder, 'broken'), '');

  await expect(make()).rejects.toThrow(`if it is broken, delete it with "kind delete cluster --name ${access.name}"`);
  expect(clusters()).toEqual([access.name]);

  rmSync(join(folder, 'broken'));
  const again = await make();
  expect(again.isReused).toBe(true);
  await again.close();
});

it('takes nothing of a kept cluster that its user has deleted for one of the new', async () => {
  const first = await make();
  const { access } = first;
  await first.close();
  writeFileSync(stateOf(access.name, 'new.json'), '{}');
  rmSync(join(folder, 'clusters', access.name));

  expect((await make()).isReused).toBe(false);
  expect(existsSync(stateOf(access.name, 'new.json'))).toBe(false);
});

it('does not touch a cluster of that name that it has not made', async () => {
  const first = await make();
  const { access } = first;
  await first.close();
  rmSync(join(folder, 'stalemate'), { recursive: true });

  await expect(make()).rejects.toThrow(`there is a kind cluster "${access.name}" that stalemate has no record of`);
  expect(clusters()).toEqual([access.name]);
});

it('never lets kind write to the kubeconfig of its user', async () => {
  writeFileSync(join(folder, 'taken'), '');

  const made = await makeKindCluster({ image: IMAGE, logFolder: folder });
  await made.close();

  const writing = calls().filter((line) => /^(?:create|delete) cluster/.test(line));
  expect(writing.map((line) => line.split(' ')[0])).toEqual(['create', 'delete', 'create', 'delete']);
  expect(writing.filter((line) => !line.includes(` --kubeconfig ${folder}`))).toEqual([]);
});
