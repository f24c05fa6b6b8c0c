import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { Repository } from './repositories.ts';
import { sourcesOf } from './sources.ts';

let folder: string;
let published: string;

function git(...args: readonly string[]): string {
  return execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.com', ...args], {
    cwd: published,
    encoding: 'utf8',
  });
}

function repositoryAt(at: string): Repository {
  return {
    name: 'widgets-operator',
    language: 'Go',
    source: 'go',
    package: 'example.com/widgets-operator',
    version: 'v1.0.0',
    clone: { url: published, at },
    webhooks: false,
    conversion: false,
  };
}

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'stalemate-sources-'));
  vi.stubEnv('XDG_CACHE_HOME', join(folder, 'cache'));
  published = join(folder, 'published');
  mkdirSync(join(published, 'vendor'), { recursive: true });
  writeFileSync(join(published, 'vendor', 'modules.txt'), 'of the release');
  git('init', '--quiet');
  git('add', '.');
  git('commit', '--quiet', '-m', 'release');
  git('tag', 'v1.0.0');
  writeFileSync(join(published, 'vendor', 'modules.txt'), 'later');
  git('commit', '--quiet', '-a', '-m', 'later');
});

afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true });
});

it('clones a project at its tag, including files that an archive leaves out', () => {
  const tree = sourcesOf(repositoryAt('v1.0.0'));

  expect(readFileSync(join(tree, 'vendor', 'modules.txt'), 'utf8')).toBe('of the release');
});

it('removes files of an earlier attempt', () => {
  const tree = sourcesOf(repositoryAt('v1.0.0'));
  writeFileSync(join(tree, 'left'), '');

  expect(sourcesOf(repositoryAt('v1.0.0'))).toBe(tree);
  expect(existsSync(join(tree, 'left'))).toBe(false);
});

it('names the repository that it could not clone', () => {
  expect(() => sourcesOf(repositoryAt('v2.0.0'))).toThrow(`could not fetch ${published} v1.0.0: `);
});
