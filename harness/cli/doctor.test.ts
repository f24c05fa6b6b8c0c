import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { stalemate } from './test-bin.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'stalemate-doctor-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

/** The environment of a machine that has Node and nothing else. */
const bare = (): { readonly [name: string]: string } => ({
  PATH: dirname(process.execPath),
  HOME: folder,
  XDG_CACHE_HOME: folder,
  XDG_DATA_HOME: folder,
  XDG_STATE_HOME: join(folder, 'state'),
  KUBEBUILDER_ASSETS: '',
});

interface Answer {
  readonly ok: boolean;
  readonly checks: readonly { readonly name: string; readonly state: string; readonly fix?: string }[];
}

function doctor(...args: readonly string[]): { readonly code: number | null; readonly answer: Answer } {
  const { code, stdout } = stalemate(['doctor', '--json', ...args], { cwd: folder, env: bare() });
  return { code, answer: JSON.parse(stdout) as Answer };
}

it('finds all that the embedded server needs on a bare machine, names what others need, and leaves no trace', () => {
  const { code, answer } = doctor();

  expect([code, answer.ok]).toEqual([0, true]);
  expect(answer.checks.filter(({ state }) => state === 'absent').map(({ name }) => name)).toEqual(
    expect.arrayContaining(['configuration', 'kind', 'envtest', 'kubectl', 'toxiproxy']),
  );
  expect(answer.checks.filter(({ state, fix }) => (state === 'ok') === (fix !== undefined))).toEqual([]);
  expect(readdirSync(folder)).toEqual([]);
});

it('is not content where what is asked for is missing', () => {
  const { code, answer } = doctor('--cluster', 'envtest');

  expect(code).toBe(3);
  expect(answer.checks.filter(({ state }) => state === 'wrong')).toEqual([
    expect.objectContaining({ name: 'envtest', fix: expect.stringContaining('setup-envtest@latest use') }),
  ]);
});

it('says of a configuration what is wrong with it', () => {
  writeFileSync(join(folder, 'stalemate.config.yaml'), 'budgte: 1\n');

  const { code, stdout } = stalemate(['doctor'], { cwd: folder, env: bare() });

  expect(stdout).toMatch(/✗ configuration {2}"stalemate\.config\.yaml" is not valid, .*budgte/);
  expect(stdout).toMatch(/\nruns on embedded cannot be made before that is fixed: configuration\n$/);
  expect(code).toBe(3);
});
