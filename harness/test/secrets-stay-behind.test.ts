/** The claim: no file and no line of output that a run makes holds a secret, and the counterexample replays all the same. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { FORMAT_NAMES } from '../cli/reports.ts';
import { stalemate, type BinResult } from '../cli/test-bin.ts';

const CONTROLLERS = fileURLToPath(new URL('../../controllers-under-test/releases/', import.meta.url));
const PASSWORD = 'planted-password-4711';
const PHRASE = 'a phrase that nobody may read';
const SECRET = `
apiVersion: v1
kind: Secret
metadata: { name: credentials, namespace: default }
data: { password: ${Buffer.from(PASSWORD).toString('base64')} }
stringData: { phrase: ${PHRASE} }
---
apiVersion: v1
kind: ConfigMap
metadata: { name: settings, namespace: default }
data: { dsn: 'user=app password=${PASSWORD}' }
`;

let folder: string;
let found: BinResult;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'stalemate-secrets-'));
  writeFileSync(join(folder, 'secret.yaml'), SECRET);
  const samples = ['--sample', join(CONTROLLERS, 'sample.yaml'), '--sample', 'secret.yaml'];
  const target = ['--target', join(CONTROLLERS, 'refreshes-version-only/controller.ts')];
  const limits = ['--property', 'no-lost-update', '--stop-after', '1', '--budget', '4000', '--seed', '11'];
  const where = ['--crds', join(CONTROLLERS, 'crd.yaml'), '--report-dir', 'out'];
  const told = FORMAT_NAMES.flatMap((format) => ['--report', format === 'text' ? 'text=out/told.txt' : format]);
  found = inFolder(['run', ...target, ...where, ...samples, ...limits, ...told]);
}, 60_000);
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

function inFolder(args: readonly string[], state = 'state'): BinResult {
  return stalemate(args, { cwd: folder, env: { XDG_STATE_HOME: join(folder, state) } });
}

function written(): readonly string[] {
  return readdirSync(join(folder, 'out'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

it('writes counterexample, record, page and every report without a planted secret', () => {
  const spellings = [PASSWORD, PHRASE].flatMap((text) => [text, Buffer.from(text).toString('base64')]);
  const leaks = written().filter((file) => spellings.some((text) => readFileSync(file, 'utf8').includes(text)));

  expect(found.code).toBe(1);
  expect(
    written()
      .map((file) => file.replace(/^.*\./, ''))
      .sort(),
  ).toEqual(['html', 'html', 'json', 'json', 'json', 'jsonl', 'md', 'sarif', 'txt', 'xml']);
  expect(leaks).toEqual([]);
  expect(spellings.filter((text) => (found.stdout + found.stderr).includes(text))).toEqual([]);
});

it.each([
  ['with its secrets', 'state', ''],
  [
    'with stand-ins, and says so, where they are not known',
    'elsewhere',
    'note: 2 secrets or variables are not known on this machine',
  ],
])(
  'replays %s',
  (_, state, note) => {
    const file = written().find((path) => path.includes('failures')) ?? '';
    const { code, stdout, stderr } = inFolder(['replay', file], state);

    expect({ code, stdout }).toMatchObject({ code: 1, stdout: expect.stringContaining('reproduced 5 of 5') });
    expect(stderr.startsWith(note)).toBe(true);
  },
  60_000,
);

it('rechecks what was written', () => {
  expect(inFolder(['recheck', 'out/records']).stdout).toMatch(/^violated/);
});
