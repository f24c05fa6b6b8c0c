import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parseAllDocuments, parseDocument } from 'yaml';
import { ciFile } from '../harness/cli/init/ci-text.ts';
import { ACTIONS, NODE_IMAGE } from '../harness/cli/init/pins.ts';
import { REPOSITORY_ROOT, repositoryFiles } from './repository-files.ts';

interface Step {
  readonly name?: string;
  readonly run?: string;
  readonly shell?: string;
  readonly env?: { readonly [name: string]: string };
  readonly with?: { readonly [name: string]: string };
}

interface Action {
  readonly inputs: { readonly [name: string]: { readonly description: string; readonly default: string } };
  readonly runs: { readonly using: string; readonly steps: readonly Step[] };
}

interface Workflow {
  readonly jobs: { readonly campaign: { readonly steps: readonly Step[] } };
}

function load(path: string): unknown {
  return parseDocument(readFileSync(join(REPOSITORY_ROOT, path), 'utf8')).toJS();
}

function stepWith(steps: readonly Step[], name: string): Step {
  const step = steps.find((candidate) => candidate.name === name);
  if (step === undefined) throw new Error(`no step named "${name}"`);
  return step;
}

describe.each(repositoryFiles().filter(({ path }) => /\.ya?ml$/.test(path) && !path.includes('fixtures/')))(
  '$path',
  ({ text }) => {
    it('is valid YAML without duplicate keys', () => {
      const documents = parseAllDocuments(text, { strict: true, uniqueKeys: true });

      expect([...documents].flatMap(({ errors, warnings }) => [...errors, ...warnings])).toEqual([]);
    });
  },
);

describe('the composite action', () => {
  const action = load('ci/github/action.yml') as Action;
  let folder: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'stalemate-ci-'));
    writeFileSync(join(folder, 'npx'), '#!/bin/sh\nprintf "%s\\n" "$@"\nexit 1\n');
    chmodSync(join(folder, 'npx'), 0o755);
  });

  afterEach(() => rmSync(folder, { recursive: true }));

  /** Runs the campaign step with an npx that prints its arguments and fails, as with a finding. */
  function campaign(inputs: { readonly [name: string]: string }): { args: readonly string[]; status: number | null } {
    const step = stepWith(action.runs.steps, 'Run the campaign');
    const env: { [name: string]: string } = { PATH: `${folder}:${process.env['PATH'] ?? ''}` };
    for (const [name, expression] of Object.entries(step.env ?? {})) {
      const input = /^\$\{\{ inputs\.([\w-]+) \}\}$/.exec(expression)?.[1] ?? '';
      env[name] = inputs[input] ?? action.inputs[input]?.default ?? '';
    }
    const { stdout, status } = spawnSync('bash', ['-e', '-o', 'pipefail', '-c', step.run ?? ''], {
      env,
      encoding: 'utf8',
    });
    return { args: stdout.trim().split('\n'), status };
  }

  it('turns inputs into the flags of stalemate ci, one flag per line of a list', () => {
    const { args } = campaign({ target: 'a b.ts', crds: 'crd/one\ncrd/two', samples: 'sample.yaml', budget: '2m' });

    expect(args.join(' | ')).toBe(
      '--no-install | stalemate | ci | --budget | 2m | --seed | 1 | --report-dir | stalemate-report | ' +
        '--report | github | --report | markdown | --report | junit | ' +
        '--target | a b.ts | --crds | crd/one | --crds | crd/two | --sample | sample.yaml',
    );
  });

  it('passes any input as text', () => {
    expect(campaign({ config: '$(touch x); "`id`"' }).args).toContain('$(touch x); "`id`"');
  });

  it('returns the exit code of the campaign', () => {
    expect(campaign({}).status).toBe(1);
  });

  it('uses each input that it declares, and interpolates none into a script', () => {
    const text = JSON.stringify(action.runs.steps);
    const used = new Set([...text.matchAll(/inputs\.([\w-]+)/g)].map((match) => match[1]));

    expect(used).toEqual(new Set(Object.keys(action.inputs)));
    for (const { run } of action.runs.steps) expect(run ?? '').not.toContain('${{');
  });
});

describe('the workflow to copy', () => {
  const steps = (load('ci/github/workflow.yml') as Workflow).jobs.campaign.steps;

  it('passes only inputs that the action declares', () => {
    const { inputs } = load('ci/github/action.yml') as Action;

    const given = Object.keys(stepWith(steps, 'Search').with ?? {});

    expect(given.length).toBeGreaterThan(0);
    expect(Object.keys(inputs)).toEqual(expect.arrayContaining(given));
  });

  it('runs scripts that bash accepts', () => {
    for (const { run } of steps) expect(spawnSync('bash', ['-n', '-c', run ?? '']).status).toBe(0);
  });
});

describe('actions of workflows', () => {
  const pinned = new Set<string>(Object.values(ACTIONS));
  const used = (text: string): readonly string[] =>
    [...text.matchAll(/uses: (.*)/g)].map(([, action = '']) => action).filter((action) => !action.startsWith('./'));

  it.each(['action', 'soak', 'workflow'])(
    'of ci/github/%s.yml are pinned by commit, as those of "init" are',
    (name) => {
      const actions = used(readFileSync(join(REPOSITORY_ROOT, 'ci', 'github', `${name}.yml`), 'utf8'));

      expect(actions).not.toEqual([]);
      expect(actions.filter((action) => !pinned.has(action))).toEqual([]);
    },
  );

  it.each(['go', 'python', 'rust', 'java', 'node'] as const)(
    'that "init" writes for %s are pinned by commit',
    (setUp) => {
      const actions = used(ciFile('github', { setUp, prepare: [], installed: true }, () => false)?.text ?? '');

      expect(actions).toHaveLength(setUp === 'node' ? 3 : 4);
      for (const action of actions) expect(action).toMatch(/^actions\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
    },
  );
});

describe('images of CI files', () => {
  const DIGEST = /@sha256:[0-9a-f]{64}$/;
  const images = (text: string): readonly string[] =>
    [...text.matchAll(/^(?: *image: |ARG BASE=)(.*)/gm)].map(([, image = '']) => image);

  it('are pinned by digest', () => {
    const written = ciFile('gitlab', { setUp: 'go', prepare: [], installed: true }, () => false)?.text ?? '';
    const copied = readFileSync(join(REPOSITORY_ROOT, 'ci/gitlab/stalemate.gitlab-ci.yml'), 'utf8');
    const base = images(readFileSync(join(REPOSITORY_ROOT, 'ci/Dockerfile'), 'utf8'));

    expect([images(written), images(copied)]).toEqual([[NODE_IMAGE], [NODE_IMAGE]]);
    expect(base).toEqual([expect.stringMatching(DIGEST)]);
    expect(NODE_IMAGE).toMatch(DIGEST);
  });
});
