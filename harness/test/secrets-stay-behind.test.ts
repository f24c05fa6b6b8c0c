/** The claim: no file and no output of a run contains a secret, and the counterexample still replays. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { FORMAT_NAMES } from '../cli/reports.ts';
import { stalemate, type BinResult } from '../cli/test-bin.ts';
import { FORMS, shownOf, TOKENS } from '../report/redaction/test-secrets.ts';

const CONTROLLERS = fileURLToPath(new URL('../../controllers-under-test/releases/', import.meta.url));
const TARGET = ['--target', join(CONTROLLERS, 'refreshes-version-only/controller.ts')];
const PASSWORD = 'pl4nted-s3cr3t-4711';
const PAT = TOKENS['GitHub ghp'] ?? '';
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
metadata:
  name: settings
  namespace: default
  labels: { pat: ${PAT} }
  annotations: { forms: ${JSON.stringify(JSON.stringify(Object.values(FORMS).map((form) => form(PASSWORD))))} }
data: { dsn: 'user=app password=${PASSWORD}' }
`;

let folder: string;
/** The state folder, outside of the project's folder: programs cannot see it. */
let states: string;
let found: BinResult;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'stalemate-secrets-'));
  states = mkdtempSync(join(tmpdir(), 'stalemate-states-'));
  writeFileSync(join(folder, 'secret.yaml'), SECRET);
  const samples = ['--sample', join(CONTROLLERS, 'sample.yaml'), '--sample', 'secret.yaml'];
  const limits = ['--property', 'no-lost-update', '--stop-after', '1', '--budget', '4000', '--seed', '11'];
  const where = ['--crds', join(CONTROLLERS, 'crd.yaml'), '--report-dir', 'out'];
  const told = FORMAT_NAMES.flatMap((format) => ['--report', format === 'text' ? 'text=out/told.txt' : format]);
  found = inFolder(['run', ...TARGET, ...where, ...samples, ...limits, ...told]);
}, 60_000);
afterAll(() => {
  for (const made of [folder, states]) rmSync(made, { recursive: true, force: true });
});

function inFolder(args: readonly string[], state = 'state'): BinResult {
  return stalemate(args, { cwd: folder, env: { XDG_STATE_HOME: join(states, state) } });
}

function written(): readonly string[] {
  return readdirSync(join(folder, 'out'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

it('writes counterexample, record, page and every report without a planted secret', () => {
  const hidden = (text: string): boolean => shownOf([PASSWORD, PAT], text).length === 0 && !text.includes(PHRASE);
  const leaks = written().filter((file) => !hidden(readFileSync(file, 'utf8')));

  expect(found.code).toBe(1);
  expect(
    written()
      .map((file) => file.replace(/^.*\./, ''))
      .sort(),
  ).toEqual(['html', 'html', 'json', 'json', 'json', 'jsonl', 'md', 'sarif', 'txt', 'xml']);
  expect(leaks).toEqual([]);
  expect(hidden(found.stdout + found.stderr)).toBe(true);
});

it.each([
  ['with its secrets', 'state', ''],
  [
    'with stand-ins, and says so, where they are not known',
    'elsewhere',
    'secrets or variables are not known on this machine',
  ],
])(
  'replays %s',
  (_, state, note) => {
    const file = written().find((path) => path.includes('failures')) ?? '';
    const { code, stdout, stderr } = inFolder(['replay', file, ...TARGET], state);

    expect({ code, stdout }).toMatchObject({ code: 1, stdout: expect.stringContaining('reproduced 5 of 5') });
    expect(stderr.replace(/^note: \d+ /, '').startsWith(note)).toBe(true);
  },
  180_000,
);

it('prints no argument of a command that looks like a secret when it refuses to start it', () => {
  const file = written().find((path) => path.includes('failures')) ?? '';
  const stored = JSON.parse(readFileSync(file, 'utf8')) as object;
  const target = { command: ['./manager', '--token', PASSWORD], directory: '.' };
  writeFileSync(join(folder, 'strange.json'), JSON.stringify({ ...stored, target }));

  const { code, stdout, stderr } = inFolder(['replay', 'strange.json']);

  expect({ code, stderr }).toMatchObject({ code: 5, stderr: expect.stringContaining('./manager --token redacted-') });
  expect(stdout + stderr).not.toContain(PASSWORD);
});

it('tells of a kept finding without a planted secret, and of what its check says today', { timeout: 180_000 }, () => {
  const claim = (otherwise: string): void =>
    writeFileSync(
      join(folder, 'claim.config.ts'),
      `export default {
  target: ${JSON.stringify(join(CONTROLLERS, 'correct/controller.ts'))},
  crds: [${JSON.stringify(join(CONTROLLERS, 'crd.yaml'))}],
  samples: [${JSON.stringify(join(CONTROLLERS, 'sample.yaml'))}, 'secret.yaml'],
  reportDir: 'kept',
  corpus: { folder: 'kept/corpus' },
  always: [{ name: 'stays', resource: 'deployments.apps', check: (object) => Number(object.metadata.generation) < 2 || ${otherwise} }],
};\n`,
    );
  const config = ['--config', 'claim.config.ts'];
  claim(`'generation ' + object.metadata.generation`);
  inFolder(['run', ...config, '--property', 'stays', '--budget', '100', '--stop-after', '1', '--seed', '1']);
  const [failure = ''] = readdirSync(join(folder, 'kept', 'failures'));
  expect(inFolder(['corpus', 'promote', join('kept/failures', failure), ...config]).code).toBe(0);

  claim(`(() => { throw new Error('no way in with ${PASSWORD}'); })()`);
  const replayed = inFolder(['corpus', 'run', ...config]);
  const listed = inFolder(['corpus', 'run', ...config, '--json']);
  const ran = inFolder(['run', ...config, '--property', 'stays', '--budget', '1', '--report', 'text=kept/told.txt']);

  expect(replayed.stdout).toContain('no way in with redacted');
  expect(JSON.parse(listed.stdout)).toMatchObject({ entries: [{ outcome: 'unclear' }] });
  const told = [replayed, listed, ran].map(({ stdout, stderr }) => stdout + stderr);
  expect([...told, readFileSync(join(folder, 'kept/told.txt'), 'utf8')].join('')).not.toContain(PASSWORD);
});

it('keeps a baseline without what a command says in secret', () => {
  const program = fileURLToPath(new URL('targets/takes-finalizers.mjs', import.meta.url));
  const targets = fileURLToPath(new URL('targets/', import.meta.url));
  const where = [
    '--crds',
    join(targets, 'crd.yaml'),
    '--sample',
    join(targets, 'sample.yaml'),
    '--report-dir',
    'based',
  ];
  const kept = ['--baseline', 'baseline.json', '--update-baseline', '--property', 'survival', '--budget', '1'];
  const command = ['--', process.execPath, program, `--token=${PASSWORD}`, '--bind-password', PHRASE];
  const { stdout, stderr } = inFolder(['run', ...where, ...kept, '--seed', '1', ...command]);

  expect(stderr + stdout).toContain('what this run measured is in baseline.json');
  const written = readFileSync(join(folder, 'baseline.json'), 'utf8');
  expect(written).toContain('--token=redacted');
  expect([PASSWORD, PHRASE].filter((text) => (written + stdout + stderr).includes(text))).toEqual([]);
});

it('rechecks what was written', () => {
  expect(inFolder(['recheck', 'out/records']).stdout).toMatch(/^violated/);
});
