import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { isAbout, storedTarget } from '../execution/search/counterexample.ts';
import { outcomeOf } from '../model/outcome.ts';
import type { CampaignOutcome } from '../model/finding.ts';
import { lostUpdate } from '../report/test-findings.ts';
import { baseBuild, replayLike } from './base-build.ts';
import { resolveRun } from './library.ts';

const file = (name: string): string => fileURLToPath(new URL(`../test/targets/${name}`, import.meta.url));
const OLD = { ...lostUpdate(), onBase: 'fails' } as const;

it.each<CampaignOutcome>(['holds', 'inconclusive', 'vacuous', 'interrupted'])(
  'is %s as without findings, where all of them are old',
  (besides) => {
    expect(outcomeOf([OLD], besides)).toBe(besides);
    expect(outcomeOf([OLD, lostUpdate()], besides)).toBe('violated');
    expect(outcomeOf([{ ...OLD, onBase: 'unknown' }], besides)).toBe('violated');
  },
);

const CONFIG = resolveRun({
  command: [process.execPath, '--old'],
  samples: [file('sample.yaml')],
  crds: [file('crd.yaml')],
  env: { MODE: 'a' },
});

it('takes a base command apart as a shell does, and refuses half a quote', () => {
  const target = { command: [process.execPath], directory: '.' };
  const base = (baseCommand: string): unknown => baseBuild({ baseCommand }, CONFIG, tmpdir())?.(target);

  expect(base(`${process.execPath} --a="x y"`)).toMatchObject({ command: [process.execPath, '--a=x y'] });
  expect(base(process.execPath)).toMatchObject({ command: [process.execPath, '--old'] });
  expect(() => base(`${process.execPath} --a="x y`)).toThrow(
    'in which a " is not closed, expected words as in a shell',
  );
  expect(() => base(' ')).toThrow('expected a program');
});

it('runs the base build on what the target ran on', () => {
  const existing = {
    kubeconfig: '/k/dev.yaml',
    context: 'dev',
    allowed: ['dev'],
    clusters: [],
    writes: [],
    prefix: 'mine',
    run: 'abc',
  };

  const like = replayLike({ ...CONFIG, existing, toxiproxy: '/bin/toxiproxy', kind: { image: 'i' } });

  expect(like).toMatchObject({
    cwd: CONFIG.cwd,
    env: { MODE: 'a' },
    existing: { kubeconfig: '/k/dev.yaml', context: 'dev', allowContexts: ['dev'], namespacePrefix: 'mine' },
    kind: { image: 'i' },
    toxiproxy: '/bin/toxiproxy',
  });
});

it('names a target by its path from the folder that the options are relative to, wherever this process is', () => {
  const folder = mkdtempSync(join(tmpdir(), 'base-build-'));
  try {
    mkdirSync(join(folder, 'operator'));
    const command = [process.execPath, '--old'];
    const options = { command, directory: 'operator', samples: [file('sample.yaml')], crds: [file('crd.yaml')] };

    const config = resolveRun(options, { cwd: folder });

    expect(storedTarget(config)).toMatchObject({ command, directory: 'operator' });
    expect(replayLike(config).cwd).toBe(folder);
    expect(isAbout({ command, directory: 'operator' }, config)).toBe(true);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
