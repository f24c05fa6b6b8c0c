/** Tests that a YAML configuration can express everything that a TypeScript one can, except functions. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { loadConfigFile } from './config-file.ts';
import type { StalemateOptions } from './options.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'stalemate-parity-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

const CLAIM = { name: 'a', resource: 'pods', cel: 'true' };

/** The options of a configuration file, none of them optional: after an option is added, this test does not compile until `ALL` sets it. */
type OfFiles = Required<Omit<StalemateOptions, 'allowContexts' | 'allowClusters'>>;
const ALL: { readonly [option in keyof OfFiles]: StalemateOptions[option] } = {
  target: 'target.ts',
  command: ['bin/manager', '--address=:{port:m}'],
  image: 'manager:v1',
  directory: '.',
  env: { A: '1' },
  network: 'host',
  fileSystem: 'host',
  time: 'virtual',
  ready: 'log:started',
  readyWithinMs: 1000,
  graceMs: 100,
  metrics: 'http://127.0.0.1:{port:m}/metrics',
  programs: { other: { command: ['bin/other'], directory: '.', env: { B: '2' }, ready: 'quiet', readyWithinMs: 1 } },
  crds: ['crds'],
  samples: ['sample.yaml'],
  namespace: 'n',
  manifests: ['config/default'],
  deployment: 'd',
  authorization: 'rbac',
  cluster: 'kind',
  with: ['kube-controller-manager'],
  kind: { image: 'i', kubernetesVersion: '1.34', configFile: 'kind.yaml', keep: true },
  kubeconfig: 'k.yaml',
  context: 'c',
  namespacePrefix: 'p',
  allowClusterWrites: ['nodes=a'],
  properties: ['no-lost-update'],
  always: [CLAIM],
  eventually: [CLAIM],
  sometimes: [CLAIM],
  writers: { deleter: false },
  faults: { crash: false, connection: true },
  toxiproxy: 'toxiproxy-server',
  budget: '5m',
  serialised: true,
  seed: 7,
  stopAfter: 1,
  reportDir: 'out',
  transport: 'dispatcher',
  leaderElection: true,
  replicas: 2,
  effects: true,
  settleWindowMs: 10,
  settleStepsMax: 10,
  stepsMax: 10,
  answers: {
    exec: [
      {
        namespace: 'n',
        pod: 'p-*',
        container: 'c',
        command: 'c',
        after: 'a',
        stdin: 'i',
        stdout: 'o',
        stderr: 'e',
        exitCode: 1,
      },
    ],
    logs: [{ previous: true, text: 't' }],
    portForward: [{ port: 1, tcp: [{ expect: 'e', send: 's', close: true }] }],
    outside: [{ host: 'h', port: 1, tls: true, http: [] }],
    serviceProxy: [
      { service: 's', port: 'p', http: [{ method: 'GET', path: '/', status: 200, headers: { a: 'b' }, body: 'c' }] },
    ],
  },
  garbageCollection: false,
  namespaceController: false,
  environment: { workloads: 'fast', except: ['jobs.batch'] },
  corpus: { folder: 'corpus', budget: '10s' },
  confirm: 'kind',
  baseline: 'baseline.json',
  waivers: [{ property: 'a', kind: 'pods', field: 'f', writer: 'w', reason: 'r', expires: '2030-01-01' }],
  coOwned: [{ kind: 'pods', field: 'f' }],
  volatile: [{ kind: 'pods', field: 'f' }],
};

it.each([
  ['yaml', stringify(ALL)],
  ['json', JSON.stringify(ALL)],
  ['mjs', `export default ${JSON.stringify(ALL)};`],
])('reads every option from %s alike', async (end, text) => {
  writeFileSync(join(folder, 'other.ts'), `export default ${JSON.stringify(ALL)};`);
  writeFileSync(join(folder, `stalemate.config.${end}`), text);

  const read = await loadConfigFile(join(folder, `stalemate.config.${end}`));

  expect(Object.keys(read).toSorted()).toEqual(Object.keys(ALL).toSorted());
  expect(read).toEqual(await loadConfigFile(join(folder, 'other.ts')));
});

it.each([
  ['allowContexts', '--allow-context', 'STALEMATE_ALLOW_CONTEXT'],
  ['allowClusters', '--allow-cluster', 'STALEMATE_ALLOW_CLUSTER'],
])('takes %s from no file, and says where it belongs', async (option, flag, variable) => {
  for (const [end, text] of [
    ['yaml', stringify({ [option]: ['prod'] })],
    ['mjs', `export default { ${option}: [] };`],
  ] as const) {
    const file = join(folder, `given-${option}.${end}`);
    writeFileSync(file, text);

    const loaded = loadConfigFile(file);

    await expect(loaded).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
    await expect(loaded).rejects.toThrow(
      new RegExp(`"given-${option}\\.${end}" has "${option}", .*${flag} .*${variable} .*clusters\\.json`),
    );
  }
});

it('offers every option to editors', () => {
  const schema = JSON.parse(
    readFileSync(new URL('../../../docs/schemas/config.schema.json', import.meta.url), 'utf8'),
  ) as { readonly properties: object };

  expect(Object.keys(schema.properties).toSorted()).toEqual(Object.keys(ALL).toSorted());
});
