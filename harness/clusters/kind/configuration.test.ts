import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { configurationOf } from './configuration.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'stalemate-kind-'));
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

function file(text: string): string {
  const path = join(folder, 'kind.yaml');
  writeFileSync(path, text);
  return path;
}

describe('the configuration of a kind cluster', () => {
  it('is on loopback alone, API server and etcd', () => {
    const config = parse(configurationOf(undefined, 'stalemate-a', 'node:v1.36.0', 4001)) as unknown;

    expect(config).toMatchObject({
      name: 'stalemate-a',
      networking: { apiServerAddress: '127.0.0.1', apiServerPort: 0 },
      nodes: [
        {
          role: 'control-plane',
          image: 'node:v1.36.0',
          extraPortMappings: [{ containerPort: 2379, hostPort: 4001, listenAddress: '127.0.0.1' }],
        },
      ],
    });
  });

  it('keeps what a file of the user says', () => {
    const text = [
      'kind: Cluster',
      'apiVersion: kind.x-k8s.io/v1alpha4',
      'networking: { apiServerAddress: 0.0.0.0 }',
      'featureGates: { WatchList: false }',
      'nodes: [{ role: control-plane, extraPortMappings: [{ containerPort: 80, hostPort: 81 }] }, { role: worker }]',
    ].join('\n');

    const config = parse(configurationOf(file(text), 'a', 'i', 1)) as unknown;

    expect(config).toMatchObject({
      networking: { apiServerAddress: '127.0.0.1' },
      featureGates: { WatchList: false },
      nodes: [
        { extraPortMappings: [{ containerPort: 80, hostPort: 81 }, { containerPort: 2379 }] },
        { role: 'worker', image: 'i' },
      ],
    });
  });

  it.each([
    ['kind: Pod', 'is no kind configuration'],
    ['a: [', 'is no YAML'],
    [
      'kind: Cluster\napiVersion: kind.x-k8s.io/v1alpha4\nnodes: [{ role: worker }]',
      'expected one control-plane node, and that first',
    ],
  ])('refuses %j', (text, why) => {
    expect(() => configurationOf(file(text), 'a', 'i', 1)).toThrow(why);
  });

  it('names a file that is not there', () => {
    expect(() => configurationOf(join(folder, 'none.yaml'), 'a', 'i', 1)).toThrow(
      'none.yaml" does not exist, expected a file',
    );
  });
});
