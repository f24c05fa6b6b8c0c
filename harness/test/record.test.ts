/** `stalemate record` in front of an embedded API server: it records what a test suite does, and does not affect the suite otherwise. */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { decodeRecording } from '../schedule/codec/recording.ts';

const file = (path: string): string => fileURLToPath(new URL(`../../${path}`, import.meta.url));
const BIN = file('harness/cli/bin.mjs');
const SUITE = [process.execPath, file('harness/test/targets/suite.mjs')];

let folder: string;
let serving: ChildProcess;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'stalemate-record-test-'));
  serving = spawn(process.execPath, [BIN, 'serve', '--write-kubeconfig', join(folder, 'kubeconfig')], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await new Promise((resolve) => serving.stdout?.once('data', resolve));
});
afterAll(() => {
  serving.kill('SIGINT');
  rmSync(folder, { recursive: true, force: true });
});

function stalemate(...args: readonly string[]): {
  readonly status: number | null;
  readonly out: string;
  readonly err: string;
} {
  // As in a user's shell, KUBECONFIG names a cluster; commands must not use it unless they are asked to.
  const env = { ...process.env, KUBECONFIG: join(folder, 'kubeconfig') };
  const { status, stdout, stderr } = spawnSync(process.execPath, [BIN, ...args], {
    cwd: folder,
    env,
    encoding: 'utf8',
  });
  return { status, out: stdout, err: stderr };
}

describe('a recorded suite', () => {
  it('sees what it would have seen, and leaves a history that can be judged', () => {
    const { status, out, err } = stalemate('record', '--kubeconfig', 'kubeconfig', '--', ...SUITE);

    expect(err).toContain('the command ended with code 0');
    expect(out).toContain('refused with 409\nADDED MODIFIED DELETED\n');
    expect(status).toBe(0);
    const path = join(folder, '.stalemate', 'recordings', 'recording.json');
    const { history, notes } = decodeRecording(readFileSync(path, 'utf8'), path);
    const own = history.revisions.filter(({ name }) => name === 'suite');
    expect(own.map(({ type, actor }) => `${type} ${actor}`)).toEqual([
      'ADDED controller',
      'MODIFIED controller',
      'DELETED controller',
    ]);
    expect(own.map(({ op }) => history.operations[op]?.verb)).toEqual(['create', 'update', 'delete']);
    expect(history.deliveries.map(({ type }) => type)).toEqual(['ADDED', 'MODIFIED', 'DELETED']);
    expect(notes).toEqual([]);
    const { out: judged } = stalemate('recheck', '.stalemate/recordings');
    // The suite deletes what it created; no other client writes, and no process is killed.
    expect(judged).toMatch(/holds +\S+\n +no-mistaken-deletion\n/);
    expect(judged).toMatch(/not exercised \S+\n +no-lost-update: nothing in the recording could have broken it\n/);
    expect(judged).toMatch(/not exercised \S+\n +crash-equivalence: nothing/);
  });

  it('with a misspelt placeholder is not started', () => {
    const { status, err } = stalemate('record', '--kubeconfig', 'kubeconfig', '--', 'go', 'test', '{kubeconfg}');

    expect(err).toContain(
      'got "{kubeconfg}" in the command ("{kubeconfg}"), which nothing replaces, expected {kubeconfig}',
    );
    expect(status).toBe(2);
  });

  it('that fails fails', () => {
    const { status, err } = stalemate('record', '--kubeconfig', 'kubeconfig', '--', ...SUITE, 'fails');

    expect(err).toContain('the command ended with code 7');
    expect(status).toBe(1);
  });

  it('that asks nothing is told so', () => {
    const { status, err } = stalemate('record', '--kubeconfig', 'kubeconfig', '--', process.execPath, '-e', '');

    expect(err).toContain('no request arrived');
    expect(status).toBe(3);
  });
});

describe('what cannot be recorded', () => {
  const away = (): string => {
    const path = join(folder, 'away');
    const document = {
      'current-context': 'kind-dev',
      clusters: [{ name: 'c', cluster: { server: 'https://prod.example.com' } }],
      contexts: [{ name: 'kind-dev', context: { cluster: 'c' } }],
    };
    writeFileSync(path, stringify(document));
    return path;
  };
  const closed = (): string => {
    const path = join(folder, 'closed');
    writeFileSync(path, readFileSync(join(folder, 'kubeconfig'), 'utf8').replace(/127\.0\.0\.1:\d+/, '127.0.0.1:1'));
    return path;
  };

  it.each([
    ['the cluster of the session', () => [], 2, 'got no --kubeconfig'],
    [
      'a cluster elsewhere, whatever its name',
      () => ['--kubeconfig', away()],
      5,
      '"kind-dev" points to prod.example.com',
    ],
    ['a cluster that does not run', () => ['--kubeconfig', closed()], 3, 'https://127.0.0.1:1 could not be reached'],
    ['a context that is not there', () => ['--kubeconfig', 'kubeconfig', '--context', 'x'], 2, 'has no context "x"'],
  ])('is %s', (_what, flags, code, message) => {
    const { status, err } = stalemate('record', ...flags(), '--', ...SUITE);

    expect(err).toContain(message);
    expect(status).toBe(code);
  });

  it('is a program that is not there', () => {
    const { status, err } = stalemate('record', '--kubeconfig', 'kubeconfig', '--', './no-such-suite');

    expect(err).toContain('could not start "./no-such-suite"');
    expect(status).toBe(2);
  });
});
