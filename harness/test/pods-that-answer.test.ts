/** A program that runs commands in pods and calls a server outside of the cluster, with and without declared answers. */
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { EnclosurePool } from '../actors/process/enclosure-pool.ts';
import { loadConfigFile } from '../execution/config/config-file.ts';
import { run, type StalemateOptions } from '../index.ts';

const file = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
/** Claims that the pod is never labelled, which is violated once the target gets its answer. */
const CLAIM = file('targets/labelled.config.yaml');
const OPTIONS: StalemateOptions = {
  ...(await loadConfigFile(CLAIM)),
  command: [process.execPath, file('targets/asks-pods.mjs')],
  samples: [file('targets/pod.yaml')],
  environment: { workloads: 'fast' },
  stopAfter: 1,
  budget: 4,
  seed: 1,
};
const enclosure = await EnclosurePool.open({ network: 'none', fileSystem: 'own' });

describe.runIf(enclosure.unsteered === null)('a program in virtual time', { timeout: 180_000 }, () => {
  it('gets what is declared', async () => {
    const answers = {
      exec: [{ container: 'main', command: '^role', stdout: 'primary\n' }],
      outside: [{ host: 'vault.example.com', port: 8200, http: [{ path: '/v1/sys/health', body: '{}' }] }],
    };

    const { findings, warnings } = await run({ ...OPTIONS, answers }, { configFile: CLAIM, shrinkMs: 5_000 });

    expect(findings.map(({ violation }) => violation.signature.property)).toEqual(['never-labelled']);
    expect(warnings.filter((line) => /declared|looked up/.test(line))).toEqual([]);
  });

  it('is said to need what is not declared', async () => {
    const { findings, warnings } = await run(OPTIONS, { configFile: CLAIM });

    expect(findings).toEqual([]);

    expect(warnings).toEqual(
      expect.arrayContaining([
        'the target runs "role" in container main (pods/exec), and no answer is declared for it: add answers: {exec: [{container: main, command: "role", stdout: "…"}]} to the configuration',
        expect.stringContaining('the target looked up vault.example.com (port 8200), which does not resolve'),
      ]),
    );
  });
});
