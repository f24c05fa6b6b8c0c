import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { HarnessError } from '../../model/errors.ts';
import { findEngine, nodeImage } from './engine.ts';

/** The folder of fake programs that print what the real ones print, so that tests do not depend on what the machine has installed. */
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'stalemate-kind-'));
  vi.stubEnv('PATH', `${folder}:/usr/bin:/bin`);
  vi.stubEnv('KIND_EXPERIMENTAL_PROVIDER', '');
  // Hides the real programs if this machine has them.
  for (const name of ['kind', 'docker', 'nerdctl', 'podman']) program(name, 'exit 127');
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true, force: true });
});

function program(name: string, script: string): void {
  writeFileSync(join(folder, name), `#!/bin/sh\n${script}\n`);
  chmodSync(join(folder, name), 0o755);
}

async function refusal(work: () => Promise<unknown>): Promise<string> {
  const error: unknown = await work().catch((caught: unknown) => caught);
  expect(error).toBeInstanceOf(HarnessError);
  const { code, message, exitCode } = error as HarnessError;
  expect([code, exitCode]).toEqual(['CLUSTER_UNAVAILABLE', 3]);
  expect(message).toContain('"--cluster embedded" needs nothing');
  return message;
}

describe('what a kind cluster needs', () => {
  it('says that kind is missing, and how to get it', async () => {
    program('docker', 'exit 0');

    expect(await refusal(() => findEngine())).toContain('there is no "kind" on the PATH; install it with "go install');
  });

  it('says that there is no engine, or that none answers', async () => {
    program('kind', 'exit 0');
    expect(await refusal(() => findEngine())).toContain(
      'there is no container engine, expected docker, nerdctl, podman',
    );

    program('docker', 'echo "Cannot connect to the Docker daemon" >&2; exit 1');

    expect(await refusal(() => findEngine())).toContain(
      'no container engine answers (docker: Cannot connect to the Docker daemon); start it',
    );
  });

  it('takes the first engine that answers, or the one that kind is set to take', async () => {
    program('kind', 'exit 0');
    program('docker', 'exit 1');
    program('podman', 'exit 0');
    expect(await findEngine()).toBe('podman');

    vi.stubEnv('KIND_EXPERIMENTAL_PROVIDER', 'docker');
    expect(await refusal(() => findEngine())).toContain('no container engine answers (docker');

    vi.stubEnv('KIND_EXPERIMENTAL_PROVIDER', 'containerd');
    expect(await refusal(() => findEngine())).toContain('is "containerd", expected one of docker, nerdctl, podman');
  });

  it('takes the newest node image, of the wanted version, or the one that is named', async () => {
    const there = ['kindest/node:v1.9.11', 'docker.io/kindest/node:v1.34.2', 'kindest/node:v1.33.7', 'busybox:latest'];
    program('docker', `case "$2" in ls) printf '%s\\n' ${there.join(' ')} ;; inspect) [ "$5" = mine:v1.34.0 ] ;; esac`);

    expect(await nodeImage('docker', {})).toBe('docker.io/kindest/node:v1.34.2');
    expect(await nodeImage('docker', { kubernetesVersion: '1.33' })).toBe('kindest/node:v1.33.7');
    expect(await nodeImage('docker', { kubernetesVersion: 'v1.9.11' })).toBe('kindest/node:v1.9.11');
    expect(await nodeImage('docker', { image: 'mine:v1.34.0' })).toBe('mine:v1.34.0');
    // The variable of --kind-image has no effect here: it is read together with the flags, like the variables of all flags.
    vi.stubEnv('STALEMATE_KIND_IMAGE', 'mine:v1.34.0');
    expect(await nodeImage('docker', {})).toBe('docker.io/kindest/node:v1.34.2');
    expect(await refusal(() => nodeImage('docker', { kubernetesVersion: '1.35' }))).toContain(
      'docker has no node image of Kubernetes 1.35',
    );
    expect(await refusal(() => nodeImage('docker', { image: 'other' }))).toContain('fetch it with "docker pull other"');
    expect(await refusal(() => nodeImage('docker', { image: 'mine:v1.34.0', kubernetesVersion: '1.33' }))).toContain(
      'got image "mine:v1.34.0" for Kubernetes 1.33',
    );
  });
});
