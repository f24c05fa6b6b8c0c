import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { JsonObject, KubeObject } from 'stalemate-apiserver/objects/object';
import type { Counterexample } from '../../model/counterexample.ts';
import { findingOf, HistoryScript } from '../test-findings.ts';
import { redactCounterexample, restoreCounterexample } from './index.ts';
import { standInsOf } from './stand-in.ts';
import { TOKENS } from './test-secrets.ts';
import { Vault } from './vault.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'stalemate-vault-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

/** Returns a counterexample with a definition of widgets that has this schema. */
function counterexampleWith(schema: JsonObject, sample: readonly KubeObject[] = []): Counterexample {
  const signature = { property: 'p', class: 'c', actors: ['target'], kind: 'k', field: 'f' };
  const found = findingOf(new HistoryScript().history(), { signature, sentence: '', operations: [] });
  const crd = {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'widgets.example.com' },
    spec: { group: 'example.com', versions: [{ name: 'v1', schema: { openAPIV3Schema: schema } }] },
  };
  const { counterexample } = found;
  return { ...counterexample, crds: [crd], workload: { ...counterexample.workload, sample } };
}

const SECRET = 'q7Xw2vPz9LkT4mNs';
const HELD: KubeObject = {
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: 'db', namespace: 'default' },
  data: { password: Buffer.from(SECRET).toString('base64') },
};

it.each(Object.entries(TOKENS))('hides a token in a definition, and a replay gets it back: %s', (_, token) => {
  const vault = new Vault(folder);
  const before = counterexampleWith({
    description: `A token such as ${token}`,
    properties: {
      access: { type: 'string', default: token, enum: [token, 'none'], example: { [token]: [token] } },
      description: { type: 'string', title: `like ${token}` },
    },
  });

  const after = redactCounterexample(before, vault);

  const [line = ''] = token.includes('\n') ? token.split('\n').slice(1) : [token];
  expect(JSON.stringify(after)).not.toContain(line);
  expect(standInsOf(JSON.stringify(after.crds)).length).toBeGreaterThan(0);
  expect(restoreCounterexample(after, vault).value).toEqual(before);
});

it('hides a Secret of the sample in a definition too', () => {
  const before = counterexampleWith({ properties: { access: { description: `not ${SECRET}`, enum: [SECRET] } } }, [
    HELD,
  ]);

  expect(JSON.stringify(redactCounterexample(before, new Vault(folder)))).not.toContain(SECRET);
});

it('leaves what the server reads as it is where nothing in it is a secret', () => {
  const before = counterexampleWith({
    description: 'The password: it is taken from a Secret.',
    required: ['password'],
    properties: {
      password: { type: 'string', pattern: '^password=[a-z0-9-]+$', maxLength: 64 },
      dsn: { type: 'string', pattern: 'https://user:[a-z]+@host', description: 'Where it is' },
      description: { type: 'string', pattern: '^token=[a-z0-9-]+$' },
      default: { type: 'string', 'x-kubernetes-validations': [{ rule: "self != 'password=none-at-all'" }] },
    },
  });

  expect(redactCounterexample(before, new Vault(folder)).crds).toEqual(before.crds);
});
