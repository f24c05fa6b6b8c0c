import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parseAllDocuments, parseDocument } from 'yaml';
import { testServer } from 'stalemate-apiserver/testing';
import { REPOSITORY_ROOT } from './repository-files.ts';

function text(path: string): string {
  return readFileSync(join(REPOSITORY_ROOT, 'ci', path), 'utf8');
}

interface Script {
  readonly script: string;
  readonly env: { readonly [name: string]: string };
}

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'stalemate-ci-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Runs a script with a fake program that prints its arguments and exits with the given code, under the names that scripts call it by. */
function runWith({ script, env }: Script, ends = 0, shell: readonly string[] = ['bash', '-e', '-o', 'pipefail', '-c']) {
  for (const name of ['npx', 'stalemate']) {
    writeFileSync(join(folder, name), `#!/bin/sh\necho "$@"\nexit ${ends}\n`);
    chmodSync(join(folder, name), 0o755);
  }
  const [program = '', ...args] = shell;
  const { stdout, status } = spawnSync(program, [...args, script], {
    encoding: 'utf8',
    env: { PATH: `${folder}:${process.env['PATH'] ?? ''}`, ...env },
  });
  return { said: stdout.trim(), status };
}

interface Job {
  readonly spec: {
    readonly completions: number;
    readonly parallelism: number;
    readonly template: {
      readonly spec: {
        readonly containers: readonly [{ readonly command: readonly string[]; readonly args: readonly [string] }];
      };
    };
  };
}

describe('the Jobs of Kubernetes', () => {
  const [claim, soak, merge] = [
    ...parseAllDocuments(text('kubernetes/soak.yaml')),
    parseDocument(text('kubernetes/merge.yaml')),
  ].map((document) => document.toJS() as never) as unknown as readonly [object, Job, Job];

  it('are accepted by an API server with strict field validation', () => {
    const { request } = testServer();
    const strict = 'fieldValidation=Strict';

    const answers = [
      request('POST', `/api/v1/namespaces/default/persistentvolumeclaims?${strict}`, claim as never),
      request('POST', `/apis/batch/v1/namespaces/default/jobs?${strict}`, soak as never),
      request('POST', `/apis/batch/v1/namespaces/default/jobs?${strict}`, merge as never),
    ];

    expect(answers.map(({ code, object }) => [code, object['message']])).toEqual(answers.map(() => [201, undefined]));
  });

  it('have one pod for each shard', () => {
    const [{ command, args }] = soak.spec.template.spec.containers;
    const { completions, parallelism } = soak.spec;

    const { said } = runWith({ script: args[0], env: {} }, 0, command);

    expect(said).toContain(`soak --shard job/${completions} --budget 4h --report-dir /results`);
    expect(said).toContain('-- ./bin/manager --kubeconfig {kubeconfig}');
    expect(parallelism).toBe(completions);
  });

  it.each([
    ['a finding', 1, 'ended', 0],
    ['too little contention', 3, 'ended', 0],
    ['a stop before the end', 1, 'batch', 3],
    ['a volume that cannot be written to', 3, undefined, 3],
    ['a wrong flag', 2, undefined, 2],
    ['a kill', 137, 'batch', 137],
  ])('exit with the expected code after %s', (_, ends, last, expected) => {
    const [{ command, args }] = soak.spec.template.spec.containers;
    const place = join(folder, 'soak', 'night', '3-of-16');
    if (last !== undefined) {
      mkdirSync(place, { recursive: true });
      writeFileSync(
        join(place, 'soak.jsonl'),
        `{"line":"about"}\n{"line":"begun"}\n{"line":"${last}"}\n{"line":"judged"}\n`,
      );
    }
    const env = { STALEMATE_SEED_EPOCH: 'night', JOB_COMPLETION_INDEX: '2' };

    const { status } = runWith({ script: args[0].replaceAll('/results', folder), env }, ends, command);

    expect(status).toBe(expected);
  });
});

interface Workflow {
  readonly jobs: {
    readonly [name: string]: {
      readonly steps: readonly { readonly name?: string; readonly run?: string; readonly env?: Script['env'] }[];
    };
  };
}

describe('the soak of GitHub Actions', () => {
  const { jobs } = parseDocument(text('github/soak.yml')).toJS() as Workflow;
  const stepOf = (job: string, name: string): Script => {
    const { run = '', env = {} } = jobs[job]?.steps.find((step) => step.name === name) ?? {};
    const values: { [name: string]: string } = {
      'matrix.shard': '3',
      'strategy.job-total': '8',
      'github.run_id': '77',
    };
    const filled = Object.entries(env).map(([key, value]) => [
      key,
      value.replaceAll(/\$\{\{ ([\w.-]+) \}\}/g, (_, expression: string) => values[expression] ?? ''),
    ]);
    return { script: run, env: Object.fromEntries(filled) as Script['env'] };
  };

  it('runs one shard in each job of the matrix', () => {
    expect(runWith(stepOf('soak', 'Soak'))).toEqual({
      said: '--no-install stalemate soak --config stalemate.config.ts --budget 1h --shard 3/8 --seed-epoch run-77 --report-dir stalemate-report',
      status: 0,
    });
  });

  it('leaves the verdict to the merge', () => {
    expect(runWith(stepOf('soak', 'Soak'), 1).status).toBe(0);
    expect(runWith(stepOf('soak', 'Soak'), 2).status).toBe(2);
    expect(runWith(stepOf('merge', 'Merge'), 1)).toEqual({
      said: '--no-install stalemate merge shards --output stalemate-soak --report github --report markdown',
      status: 1,
    });
  });
});

describe('the template of GitLab', () => {
  interface GitlabJob {
    readonly script: readonly string[];
    readonly parallel?: number;
    readonly allow_failure?: { readonly exit_codes: readonly number[] };
    readonly artifacts: { readonly paths: readonly string[] };
  }
  const jobs = parseDocument(text('gitlab/stalemate.gitlab-ci.yml')).toJS() as {
    readonly [name: string]: GitlabJob;
  } & {
    readonly variables: Script['env'];
  };
  const run = (job: string, ends: number): ReturnType<typeof runWith> =>
    runWith(
      {
        script: jobs[job]?.script.join('\n') ?? '',
        env: { ...jobs.variables, CI_NODE_INDEX: '3', CI_NODE_TOTAL: '8', CI_PIPELINE_ID: '55' },
      },
      ends,
    );

  it('runs one shard in each parallel job, and merges their artifacts', () => {
    expect(run('stalemate-soak', 1)).toEqual({
      said: '--no-install stalemate soak --budget 1h --shard 3/8 --seed-epoch 55',
      status: 1,
    });
    expect(jobs['stalemate-soak']?.allow_failure?.exit_codes).toEqual([1, 3]);
    expect(run('stalemate-merge', 1).said).toContain(
      `merge ${jobs['stalemate-soak']?.artifacts.paths[0] ?? ''} --output merged`,
    );
    expect(jobs.variables['STALEMATE_REPORT_DIR']).toBe(jobs['stalemate-soak']?.artifacts.paths[0]);
  });
});
