import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { readFileSync } from 'node:fs';
import { checkOptions, ownProperties } from '../../execution/config/options.ts';
import { claimsFor } from './claims.ts';
import { typescriptConfig, yamlConfig, type ConfigFacts } from './config-text.ts';

const FACTS: ConfigFacts = {
  options: {
    command: ['bin/manager', '--address=127.0.0.1:{port:m}', "it's"],
    env: { A: '1' },
    metrics: 'http://127.0.0.1:{port:m}/metrics',
    crds: ['config/crd/bases'],
    samples: ['sample.yaml'],
    budget: '60s',
  },
  build: 'go build -o bin/manager ./cmd',
  claims: claimsFor(undefined),
  manifests: 'config/default',
  elects: true,
};
const FOUND = { ...FACTS.options };
const OFFERED = 'always coOwned cluster eventually faults leaderElection manifests sometimes writers'.split(' ');
const SCHEMA = JSON.parse(
  readFileSync(new URL('../../../docs/schemas/config.schema.json', import.meta.url), 'utf8'),
) as object;

describe('what init writes', () => {
  it('is what was found', () => {
    expect(checkOptions(parse(yamlConfig(FACTS, './s.json')), 'it')).toEqual(FOUND);
  });

  it('is valid with every # taken away, for stalemate and for an editor', () => {
    const all: unknown = parse(yamlConfig(FACTS, './s.json').replaceAll(/^#(?! \S)/gm, ''));
    const options = checkOptions(all, 'it');

    expect(Object.keys(options).toSorted()).toEqual([...Object.keys(FOUND), ...OFFERED].toSorted());
    const validate = new Ajv2020({ strict: false }).compile(SCHEMA);
    expect([validate(all), validate.errors]).toEqual([true, null]);
    expect(validate({ budgte: '60s' })).toBe(false);
  });

  it('claims nothing about how time passes, which depends on the machine', () => {
    const { env: _, ...options } = FACTS.options;
    const text = yamlConfig({ ...FACTS, options }, './s.json');

    expect(text).toContain('POLL_SECONDS');
    expect(text).not.toMatch(/Runs take place in real time/);
  });

  it('is the same in TypeScript', async () => {
    const text = typescriptConfig(FACTS, false);
    const all = text.replaceAll(/^ {2}\/\/(?=\w+: )/gm, '  ');
    const load = async (source: string): Promise<unknown> =>
      ((await import(`data:text/javascript,${encodeURIComponent(source)}`)) as { readonly default: unknown }).default;

    expect(await load(text)).toEqual(FOUND);
    expect(Object.keys(checkOptions(await load(all), 'it')).toSorted()).toEqual(
      [...Object.keys(FOUND), ...OFFERED].toSorted(),
    );
  });
});

it('shows a configuration that is valid in its page', () => {
  const page = readFileSync(new URL('../../../docs/first-run.md', import.meta.url), 'utf8');
  const shown: unknown = parse(/^```yaml\n([\s\S]*?)^```$/m.exec(page)?.[1] ?? '');

  expect(checkOptions(shown, 'the page').always).toHaveLength(2);
  expect(ownProperties(checkOptions(shown, 'the page'))).toHaveLength(2);
  expect(new Ajv2020({ strict: false }).compile(SCHEMA)(shown)).toBe(true);
});
