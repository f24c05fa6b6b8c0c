import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { HarnessError } from '../../model/errors.ts';
import type { Property } from '../../oracle/property.ts';
import { parseBudget } from './budget.ts';
import { findConfigFile, loadConfigFile } from './config-file.ts';
import { checkOptions, type StalemateOptions } from './options.ts';
import { resolveOptions, type ResolveContext } from './resolve-options.ts';
import type { RunConfig } from './run-config.ts';

const catalogue: readonly Property[] = ['convergence', 'no-lost-update'].map((name, index) => ({
  name,
  id: `P${index + 1}`,
  kind: 'safety',
  about: name,
  check: () => ({ result: 'holds' }),
}));

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'stalemate-config-'));
  writeFileSync(join(folder, 'target.ts'), 'export default {};\n');
  writeFileSync(join(folder, 'sample.yaml'), 'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: c }\n');
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

function resolved(options: StalemateOptions, only: readonly string[] = []): RunConfig {
  return resolveOptions(
    { target: 'target.ts', samples: ['sample.yaml'], ...options },
    { ...CONTEXT, cwd: folder, only },
  );
}

const CONTEXT: Omit<ResolveContext, 'cwd'> = {
  configFile: null,
  only: [],
  properties: catalogue,
  writers: ['status-writer', 'finalizer-adder'],
  builtInKinds: new Set(['v1/ConfigMap']),
  builtInResources: new Set(['configmaps', 'pods']),
  today: '2026-11-22',
  freshSeed: () => 99,
};

async function refusal(load: () => unknown): Promise<string> {
  try {
    await load();
  } catch (error) {
    if (error instanceof HarnessError && error.exitCode === 2) return error.message.replaceAll(folder, 'FOLDER');
    throw error;
  }
  throw new Error('expected a refusal');
}

describe('a misspelt placeholder', () => {
  const command = (...words: readonly string[]): StalemateOptions => ({ command: [process.execPath, ...words] });
  const resolve = (options: StalemateOptions): RunConfig =>
    resolveOptions({ samples: ['sample.yaml'], ...options }, { ...CONTEXT, cwd: folder });

  it.each([
    ['{kubeconfg}', '{kubeconfig}'],
    ['--kubeconfig={config}', '{kubeconfig}'],
    ['{Namespace}', '{namespace}'],
    ['{prot:metrics}', '{port:NAME}'],
    ['{port: metrics}', '{port:NAME}'],
    ['{file}/config.yaml', '{files}'],
  ])('%s is refused, and %s named', async (word, meant) => {
    const message = await refusal(() => resolve(command(word)));

    expect(message).toContain(`in the command ("${word}"), which nothing replaces, expected ${meant}`);
  });

  it('is found in variables and in what makes the target ready', async () => {
    const env = { CONFIG: '{kubeconfig_path}' };

    expect(await refusal(() => resolve({ ...command(), env }))).toContain('in the variable CONFIG');
    expect(await refusal(() => resolve({ ...command(), ready: 'url:http://127.0.0.1:{ports}/' }))).toContain(
      'in ready',
    );
  });

  it.each([
    '{{.port}}',
    '${PORT}',
    '{"port":1}',
    '{a,b}',
    '{id}',
    '{}',
    '{{port}}',
    '{kubeconfig}:{port:web-1}',
    'x{1,3}',
  ])('is not %s', (word) => {
    expect(resolve(command(word)).process?.command[1]).toBe(word);
  });
});

describe('resolveOptions', () => {
  it('leaves nothing open', () => {
    const config = resolved({});

    expect(config).toMatchObject({
      target: join(folder, 'target.ts'),
      namespace: 'default',
      writers: ['status-writer', 'finalizer-adder'],
      budget: { unit: 'ms', timeMs: 60_000 },
      seed: 99,
      stopAfter: Infinity,
      reportDir: join(folder, '.stalemate'),
      settings: { replicasMax: 1 },
    });
    expect(config.properties).toEqual(catalogue);
    expect(JSON.stringify(Object.values(config))).not.toContain('undefined');
  });

  it('switches single writers and faults off', () => {
    const config = resolved({ writers: { 'status-writer': false }, faults: { crash: false } });

    expect(config.writers).toEqual(['finalizer-adder']);
    expect(config.faults).not.toContain('crash');
    expect(config.faults).toContain('lose-response');
  });

  it('starts a second replica only for a target that means to run twice', () => {
    expect(resolved({}).faults).not.toContain('start-replica');
    expect(resolved({ leaderElection: true }).faults).toContain('start-replica');
    expect(resolved({ replicas: 2 }).settings.replicasMax).toBe(2);
  });

  it('runs a module as a program, in real time, on a cluster that is not embedded', () => {
    const { target, process: started, settings, cluster } = resolved({ cluster: 'envtest', effects: true });

    expect(cluster).toBe('envtest');
    expect(started?.command.slice(1).map((word) => word.replace(/^.*\//, ''))).toEqual([
      'run-module.ts',
      'target.ts',
      '{namespace}',
      '{effects}',
    ]);
    expect(target).toBe(join(folder, 'target.ts'));
    expect(settings.settleWindowMs).toBe(500);
    expect(resolved({ cluster: 'embedded' }).process).toBeNull();
  });

  it('adds parts to envtest alone, and nodes only where somebody makes pods for them', async () => {
    const command = { command: [process.execPath], samples: ['sample.yaml'], cluster: 'envtest' } as const;
    const having = (more: StalemateOptions): RunConfig =>
      resolveOptions({ ...command, ...more }, { ...CONTEXT, cwd: folder, only: [] });
    const both = ['kwok', 'kube-controller-manager'] as const;

    expect(having({ with: both }).settings.with).toEqual(['kube-controller-manager', 'kwok']);
    expect(having({}).settings).not.toHaveProperty('with');
    expect(await refusal(() => having({ with: ['kwok'] }))).toContain('expected "kube-controller-manager" too');
    expect(await refusal(() => having({ with: both, cluster: 'embedded' }))).toContain(
      'and cluster "embedded", expected "envtest"',
    );
  });

  it('takes properties by name or number, and properties of the user', () => {
    const own: Property = { name: 'my-own', kind: 'safety', about: '', check: () => ({ result: 'holds' }) };
    const ready = { name: 'ready', resource: 'pods', check: () => true };

    const names = (options: StalemateOptions, only?: readonly string[]): readonly string[] =>
      resolved(options, only).properties.map(({ name }) => name);
    expect(names({ properties: ['P2'] })).toEqual(['no-lost-update']);
    expect(names({ properties: ['convergence', own] })).toEqual(['convergence', 'my-own']);
    expect(names({ properties: [own] })).toEqual(['convergence', 'no-lost-update', 'my-own']);
    expect(names({ properties: [], always: [ready] })).toEqual(['ready']);
    const copy: Property = { ...own, name: 'convergence' };
    expect(names({ properties: ['convergence', copy, own] })).toEqual(['convergence', 'my-own']);
    expect(names({ always: [ready] })).toEqual(['convergence', 'no-lost-update', 'ready']);
    expect(names({ properties: [own], eventually: [ready] }, ['ready'])).toEqual(['ready']);
  });

  it('refuses what does not exist, with what does', async () => {
    expect(await refusal(() => resolved({ properties: ['convergance'] }))).toBe(
      'got property "convergance", expected one of convergence, no-lost-update; did you mean "convergence"?',
    );
    expect(await refusal(() => resolved({ writers: { 'status-writter': false } }))).toBe(
      '"writers" has "status-writter", expected one of status-writer, finalizer-adder; did you mean "status-writer"?',
    );
    expect(await refusal(() => resolved({ target: 'no.ts' }))).toBe(
      'target "no.ts" does not exist; expected a module, looked for "FOLDER/no.ts"',
    );
    expect(await refusal(() => resolved({ target: '.' }))).toContain('target "." is a folder; expected a module');
    expect(await refusal(() => resolved({ samples: [] }))).toContain('got no sample');
    expect(await refusal(() => resolved({ metrics: 'http://127.0.0.1:1/' }))).toContain(
      'got "metrics" for a target that',
    );
    expect(await refusal(() => checkOptions({ metrics: 'localhost:8080' }, 'f'))).toContain(
      'at metrics: expected an addr',
    );
  });
});

describe('loadConfigFile', () => {
  it.each([
    ['stalemate.config.ts', "export default { target: './target.ts', seed: 5 as number };\n"],
    ['stalemate.config.mjs', "export default { target: './target.ts', seed: 5 };\n"],
    ['stalemate.config.yaml', 'target: ./target.ts\nseed: 5\n'],
    ['stalemate.config.json', '{ "target": "./target.ts", "seed": 5 }\n'],
  ])('reads %s; its paths are relative to itself', async (name, text) => {
    mkdirSync(join(folder, 'sub'));
    writeFileSync(join(folder, 'sub', name), text);

    expect(findConfigFile(join(folder, 'sub'))).toBe(join(folder, 'sub', name));
    expect(await loadConfigFile(join(folder, 'sub', name))).toEqual({
      target: join(folder, 'sub', 'target.ts'),
      seed: 5,
    });
  });

  it('names file and field', async () => {
    const path = join(folder, 'stalemate.config.yaml');
    writeFileSync(path, 'budgt: 60s\n');
    expect(await refusal(() => loadConfigFile(path))).toBe(
      '"stalemate.config.yaml" is not valid, at the top level: unknown field "budgt"; did you mean "budget"?',
    );
    writeFileSync(path, 'seed: seven\n');
    expect(await refusal(() => loadConfigFile(path))).toContain('at seed: expected a');
    writeFileSync(path, 'budget: soon\n');
    expect(await refusal(() => loadConfigFile(path))).toContain('at budget: expected a time like "60s" or "5m"');
  });

  it('refuses a file that is missing, broken or without a default export', async () => {
    expect(await refusal(() => loadConfigFile(join(folder, 'no.ts')))).toContain('does not exist');
    writeFileSync(join(folder, 'a.json'), '{');
    expect(await refusal(() => loadConfigFile(join(folder, 'a.json')))).toContain('"a.json" could not be loaded');
    writeFileSync(join(folder, 'b.mjs'), 'export const x = 1;\n');
    expect(await refusal(() => loadConfigFile(join(folder, 'b.mjs')))).toContain('has no default export');
  });
});

describe('checkOptions', () => {
  it('refuses a predicate about a resource that nobody can create', async () => {
    const typo = { name: 'typo', resource: 'confgmaps', check: () => false };

    expect(await refusal(() => resolved({ eventually: [typo] }))).toContain(
      'the predicate "typo" is about "confgmaps", expected a resource by its plural name and group',
    );
  });

  it('takes predicates with a function and refuses them without', async () => {
    const always = [{ name: 'ready', resource: 'pods', check: () => true }];

    expect(checkOptions({ always }, 'f')).toEqual({ always });
    expect(await refusal(() => checkOptions({ always: [{ name: 'ready' }] }, 'f'))).toContain(
      'at always[0]: expected an object with name, resource, and either check (a function) or cel (an expression)',
    );
  });
});

describe('parseBudget', () => {
  it.each([
    ['60s', { unit: 'ms', timeMs: 60_000 }],
    ['5m', { unit: 'ms', timeMs: 300_000 }],
    ['1.5h', { unit: 'ms', timeMs: 5_400_000 }],
    ['2000', { unit: 'runs', runs: 2000 }],
  ])('reads %s', (text, expected) => {
    expect(parseBudget(text)).toEqual(expected);
  });

  it.each(['', '0', '0s', '-5s', 'soon', '5 minutes', '1.5', '1e3'])('refuses "%s"', (text) => {
    expect(parseBudget(text)).toBeUndefined();
  });
});
