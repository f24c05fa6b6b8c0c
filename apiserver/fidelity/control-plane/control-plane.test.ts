import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { ApiServerError } from '../../objects/errors.ts';
import { cacheFolder, findControlPlane, findKubectl, findProgram, missingPartsText } from './binaries.ts';
import { Children } from '../../processes/children.ts';
import { startControlPlane } from './control-plane.ts';

const folder = mkdtempSync(join(tmpdir(), 'control-plane-test-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const NOWHERE = { XDG_CACHE_HOME: join(folder, 'no-cache'), HOME: join(folder, 'nobody') };

function alive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

describe('finding the binaries', () => {
  it("takes what a variable names, then envtest's folder, then the cache", () => {
    writeFileSync(join(folder, 'etcd'), '');
    writeFileSync(join(folder, 'my-etcd'), '');

    expect(findProgram('etcd', NOWHERE)).toBeUndefined();
    expect(findProgram('etcd', { ...NOWHERE, KUBEBUILDER_ASSETS: folder })).toBe(join(folder, 'etcd'));
    const named = { ...NOWHERE, KUBEBUILDER_ASSETS: folder, TEST_ASSET_ETCD: join(folder, 'my-etcd') };
    expect(findProgram('etcd', named)).toBe(join(folder, 'my-etcd'));
    expect(cacheFolder(NOWHERE).startsWith(NOWHERE.XDG_CACHE_HOME)).toBe(true);
    expect(findKubectl(NOWHERE)).toBeUndefined();
  });

  it("takes the newest of setup-envtest's store when no other source has it", () => {
    const home = join(folder, 'home');
    const store = join(home, '.local', 'share', 'kubebuilder-envtest', 'k8s');
    const onMac = join(home, 'Library', 'Application Support', 'io.kubebuilder.envtest', 'k8s');
    for (const place of [store, onMac])
      for (const version of ['1.9.1-os-cpu', '1.36.0-os-cpu']) {
        mkdirSync(join(place, version), { recursive: true });
        writeFileSync(join(place, version, 'etcd'), '');
      }

    expect(findProgram('etcd', { ...NOWHERE, HOME: home })).toContain(join('1.36.0-os-cpu', 'etcd'));
  });

  it('prints the commands that install binaries when there are none', () => {
    expect(() => findControlPlane(NOWHERE)).toThrow(
      /found no etcd and kube-apiserver.*\n.*setup-envtest@latest use.*\nor .* in a clone of stalemate .*\n.*control-plane\.ts build/,
    );
    expect(() => findControlPlane(NOWHERE)).toThrow(ApiServerError);
    expect(missingPartsText(['kube-scheduler', 'kwok'], NOWHERE)).toMatch(
      /^found no kube-scheduler .*TEST_ASSET_KUBE_SCHEDULER.* and no kwok .*\n.*control-plane\.ts build kube-scheduler kwok$/,
    );
  });

  it('refuses a variable that names nothing', () => {
    expect(() => findProgram('etcd', { TEST_ASSET_ETCD: join(folder, 'none') })).toThrow(
      /TEST_ASSET_ETCD=.*correct or unset/,
    );
  });
});

describe('children', () => {
  it('end together with their folder, even when they ignore SIGTERM', async () => {
    const home = mkdtempSync(join(folder, 'home-'));
    const children = new Children(home);
    const child = children.start('stubborn', 'sleep', ['1000']);
    expect(alive(child.pid)).toBe(true);

    await children.stop();

    expect(alive(child.pid)).toBe(false);
    expect(child.ended()).toBe('signal SIGTERM');
  });

  it('reports the output of a program that exits before it is ready', async () => {
    const parts = { 'kube-controller-manager': undefined, 'kube-scheduler': undefined, kwok: undefined };
    const binaries = { etcd: 'sleep', apiserver: 'false', parts };

    await expect(startControlPlane({ binaries })).rejects.toThrow(/ended with exit code 1 before it was ready/);
  });
});

const installed = findProgram('etcd') !== undefined && findProgram('kube-apiserver') !== undefined;

describe.runIf(installed)('a real control plane', () => {
  it('starts, answers and leaves no process behind', async () => {
    const plane = await startControlPlane();
    try {
      expect(plane.pids.every(alive)).toBe(true);
      expect(plane.kubeconfig).toContain(plane.url);
    } finally {
      await plane.stop();
    }
    expect(plane.pids.some(alive)).toBe(false);
  });

  it('starts in parallel with others', async () => {
    const planes = await Promise.all([startControlPlane(), startControlPlane()]);

    expect(new Set(planes.flatMap(({ url, etcdUrl }) => [url, etcdUrl])).size).toBe(4);
    await Promise.all(planes.map((plane) => plane.stop()));
  }, 60_000);
});
