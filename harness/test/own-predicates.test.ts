import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { loadConfigFile } from '../execution/config/config-file.ts';
import { run } from '../index.ts';
import type { CampaignResult } from '../index.ts';

const RELEASES = fileURLToPath(new URL('../../controllers-under-test/releases/', import.meta.url));
const BUDGET = 40;

/** Four claims about this controller: two that hold and two that do not, one of each type. */
const CONFIG = `
import { defineConfig } from ${JSON.stringify(new URL('../index.ts', import.meta.url).href)};
export default defineConfig({
  target: ${JSON.stringify(`${RELEASES}correct/controller.ts`)},
  crds: [${JSON.stringify(`${RELEASES}crd.yaml`)}],
  samples: [${JSON.stringify(`${RELEASES}sample.yaml`)}],
  properties: [],
  always: [
    { name: 'has-a-name', resource: 'deployments.apps', check: (object) => object.metadata.name !== '' },
    {
      name: 'one-generation',
      resource: 'deployments.apps',
      check: (object) => Number(object.metadata.generation) < 2 || 'generation ' + object.metadata.generation,
    },
  ],
  eventually: [
    {
      name: 'has-its-release',
      resource: 'deployments.apps',
      check: (object, objects) =>
        objects.some((other) => other.kind === 'Release' && other.metadata.name === object.metadata.name) || 'orphaned',
    },
    { name: 'is-gone', resource: 'releases.delivery.example.com', check: () => false },
  ],
});
`;

let folder: string;
let result: CampaignResult;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'stalemate-own-'));
  const configFile = join(folder, 'stalemate.config.ts');
  writeFileSync(configFile, CONFIG);
  result = await run({ ...(await loadConfigFile(configFile)), seed: 1, budget: BUDGET }, { configFile });
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

function sentenceOf(name: string): string | undefined {
  return result.findings.find(({ violation }) => violation.signature.property === name)?.violation.sentence;
}

it('judges the claims of a configuration file, and no others', () => {
  const names = ['has-a-name', 'has-its-release', 'is-gone', 'one-generation'];

  expect(Object.keys(result.perProperty).toSorted()).toEqual(names);
  expect(result.perProperty['has-a-name']).toMatchObject({ holds: BUDGET, violated: 0 });
  expect(result.perProperty['has-its-release']).toMatchObject({ holds: BUDGET, violated: 0 });
});

it('finds the version at which a claim does not hold, and says who wrote it', () => {
  expect(sentenceOf('one-generation')).toMatch(
    /^one-generation does not hold for deployments\.apps web at version \d+, written by \S+: generation 2$/,
  );
});

it('finds what does not hold at rest', () => {
  expect(sentenceOf('is-gone')).toBe('is-gone does not hold for releases.delivery.example.com web at rest');
});

it('shrinks them like any other: to what the claim needs', () => {
  const alone = result.findings.find(({ violation }) => violation.signature.property === 'is-gone');

  expect(alone?.counterexample.workload.programs).toEqual([]);
  expect(alone?.counterexample.schedule).toMatchObject({ preemptions: [], holds: [], faults: [] });
  expect(alone?.stats.reproduced).toEqual({ k: 5, n: 5 });
});

it('takes CEL claims from a configuration in YAML, and calls a campaign vacuous that never came by what it was to come by', async () => {
  const configFile = join(folder, 'stalemate.config.yaml');
  const claims = {
    target: `${RELEASES}correct/controller.ts`,
    crds: [`${RELEASES}crd.yaml`],
    samples: [`${RELEASES}sample.yaml`],
    properties: [],
    always: [
      {
        name: 'grows',
        resource: 'deployments.apps',
        cel: 'object.metadata.generation >= oldObject.metadata.generation',
      },
    ],
    sometimes: [
      { name: 'is-updated', resource: 'deployments.apps', cel: 'object.metadata.generation > 1' },
      { name: 'is-huge', resource: 'deployments.apps', cel: 'object.metadata.generation > 10000' },
    ],
  };
  writeFileSync(configFile, JSON.stringify(claims));

  const { outcome, perProperty } = await run(
    { ...(await loadConfigFile(configFile)), seed: 1, budget: BUDGET },
    { configFile },
  );

  expect(outcome).toBe('vacuous');
  expect(perProperty).toMatchObject({
    grows: { holds: BUDGET, vacuous: false },
    'is-updated': { vacuous: false },
    'is-huge': { vacuous: true },
  });
});
