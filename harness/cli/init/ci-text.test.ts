import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { ciFile, type CiFacts } from './ci-text.ts';

type Job = { readonly steps: readonly { readonly name?: string; readonly run?: string }[] };
const GO: CiFacts = { setUp: 'go', prepare: ['npm ci', 'go build ./...'], installed: true };

/** Returns the commands of a CI file in the order in which they run. */
function scriptOf(kind: 'github' | 'gitlab', facts: CiFacts): readonly string[] {
  const text = ciFile(kind, facts, () => false)?.text ?? '';
  if (kind === 'gitlab') return (parse(text) as { stalemate: { script: readonly string[] } }).stalemate.script;
  return (parse(text) as { jobs: { search: Job } }).jobs.search.steps.flatMap(({ run }) => run ?? []);
}

describe.each(['github', 'gitlab'] as const)('a job for %s', (kind) => {
  it('calls the stalemate that the project depends on, and fetches nothing by that name', () => {
    expect(scriptOf(kind, GO).slice(-3)).toEqual([
      'npm ci',
      'go build ./...',
      'npx --no-install stalemate ci --report-dir stalemate-report',
    ]);
    expect(ciFile(kind, GO, () => false)?.notes).toEqual([]);
  });

  it('fails in words where nothing has brought stalemate', () => {
    const facts = { ...GO, installed: false };
    const [find = '', search] = scriptOf(kind, facts).slice(-2);
    const { status, stderr } = spawnSync('/bin/sh', ['-c', find], { encoding: 'utf8', env: { PATH: '/nowhere' } });

    expect(search).toBe('stalemate ci --report-dir stalemate-report');
    expect([status, stderr]).toEqual([
      3,
      'stalemate is not here, expected it on PATH; the comment above this step says how it gets there\n',
    ]);
    expect(ciFile(kind, facts, () => false)?.notes).toEqual([expect.stringContaining('has to be given stalemate')]);
  });
});
