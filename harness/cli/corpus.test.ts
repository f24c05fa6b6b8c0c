import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { corpusEntryOf, type CorpusState } from '../model/corpus.ts';
import { summarySchema } from '../report/summary.ts';
import { lostUpdate } from '../report/test-findings.ts';
import { decodeCorpusEntry, encodeCorpusEntry } from '../schedule/codec/corpus-entry.ts';
import { shell, stalemate, type BinResult } from './test-bin.ts';

const CONTROLLERS = fileURLToPath(new URL('../../controllers-under-test/releases/', import.meta.url));

/** A controller in a repository of its own; the variant determines whether it has the bug. */
const TARGET = (variant: string): string =>
  `import start from ${JSON.stringify(`${CONTROLLERS}${variant}/controller.ts`)};\nexport default start;\n`;
const CONFIG = `target: target.ts\ncrds: [${CONTROLLERS}crd.yaml]\nsamples: [${CONTROLLERS}sample.yaml]\n`;

let folder: string;
let name: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'stalemate-corpus-'));
  writeFileSync(join(folder, 'stalemate.config.yaml'), CONFIG);
  broken();
  const found = command('run', '--seed', '16', '--budget', '200', '--stop-after', '1', '--property', 'no-lost-update');
  if (found.code !== 1) throw new Error(`expected a finding: ${found.stdout}${found.stderr}`);
  const [file = ''] = readdirSync(join(folder, '.stalemate', 'failures'));
  name = file.replace('.json', '');
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

function command(...args: readonly string[]): BinResult {
  return stalemate(args, { cwd: folder });
}

function broken(): void {
  writeFileSync(join(folder, 'target.ts'), TARGET('refreshes-version-only'));
}

function applyFix(): void {
  writeFileSync(join(folder, 'target.ts'), TARGET('correct'));
}

function entryText(): string {
  return readFileSync(join(folder, '.stalemate', 'corpus', `${name}.json`), 'utf8');
}

function stateOf(): CorpusState {
  return decodeCorpusEntry(entryText(), 'entry').state;
}

describe('a finding of the corpus', { timeout: 120_000 }, () => {
  it('is promoted as open, small, and without what the project has anyway', () => {
    const { code, stdout } = command('corpus', 'promote', `.stalemate/failures/${name}.json`);

    expect(stdout).toBe(`.stalemate/corpus/${name}.json: open\n`);
    expect(code).toBe(0);
    expect(JSON.parse(entryText())).not.toHaveProperty('crds');
    expect(entryText().length).toBeLessThan(6_000);
  });

  it('loses nothing when the disk is full', () => {
    const before = entryText();

    // With a limit on file sizes the write fails as on a full disk, even for root.
    const line = `ulimit -f 1; $STALEMATE corpus promote ${name} --state quarantined --reason full`;
    const { code, stderr } = shell(line, folder);

    expect(stderr).toMatch(
      /^stalemate: could not write ".*": the file is larger than .* name another folder with --corpus\n$/,
    );
    expect(code).toBe(3);
    expect(entryText()).toBe(before);
    expect(readdirSync(join(folder, '.stalemate', 'corpus'))).toEqual([`${name}.json`]);
  });

  it('is listed and explained without running anything', () => {
    expect(command('corpus', 'list').stdout).toMatch(
      new RegExp(`^${name}  open since \\d{4}-\\d\\d-\\d\\d\\n    controller`),
    );
    const { stdout } = command('corpus', 'explain', name);
    expect(stdout).toContain('LOST UPDATE  controller reverted');
    expect(stdout).toContain('known and not fixed: a run fails as long as this fails');
    expect(stdout).toContain(
      'where the order deviates\n  before controller/update/deployments.apps/default/web#0!sent run',
    );
  });

  it('is replayed first by every run, which counts it and does not find it anew', () => {
    const { code, stdout, stderr } = command('run', '--seed', '11', '--budget', '60', '--stop-after', '1', '--json');
    const summary = summarySchema.parse(JSON.parse(stdout));

    expect(stderr).toContain(`corpus: 1 finding of .stalemate/corpus replayed, for up to 60 s\n`);
    expect(stderr).toContain(`✗ ${name}  open since`);
    expect(summary.corpus?.entries).toMatchObject([{ name, state: 'open', outcome: 'fails', regression: false }]);
    expect(summary.findings.map(({ signature }) => signature)).not.toContain(summary.corpus?.entries[0]?.signature);
    expect(summary.outcome).toBe('violated');
    expect(code).toBe(1);
  });

  it('is not called fixed while it still fails', () => {
    const { code, stderr } = command('corpus', 'promote', name);

    expect(stderr).toContain(`✗ ${name}  open since`);
    expect(stderr).toContain('is left as it was: an entry is fixed once it is replayed and holds');
    expect([code, stateOf()]).toEqual([1, 'open']);
  });

  it('fails no run while it is in quarantine, for which it needs a reason', () => {
    expect(command('corpus', 'promote', name, '--state', 'quarantined')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('got no reason, expected one') as string,
    });
    expect(command('corpus', 'promote', name, '--state', 'quarantined', '--reason', 'waits for #217').code).toBe(0);

    const { code, stdout } = command('corpus', 'run');

    expect(stdout).toContain('(waits for #217): still fails');
    expect(stdout).toContain('corpus: 1 in quarantine');
    expect(code).toBe(0);
  });

  it('holds once it is fixed, is said to, and becomes fixed', () => {
    applyFix();
    command('corpus', 'promote', name, '--state', 'open');

    const open = command('corpus', 'run');
    expect(open.stdout).toContain(
      `no longer fails; if it is fixed: npx stalemate corpus promote ${name} --state fixed`,
    );
    expect(open.code).toBe(0);

    const fixed = command('corpus', 'promote', name, '--reason', 'reads again');
    expect(fixed.stdout).toBe(`.stalemate/corpus/${name}.json: open → fixed\n`);
    expect(command('corpus', 'run', name).stdout).toContain('(reads again), holds');
  });

  it('is a regression by name when it fails again, with its story', () => {
    broken();

    const { code, stdout } = command('corpus', 'run');
    const run = command('run', '--seed', '11', '--budget', '1');

    expect(stdout).toContain(`✗ ${name}  REGRESSION: fixed since`);
    expect(stdout).toContain(`replay: npx stalemate corpus run ${name}`);
    expect(code).toBe(1);
    expect(run.stdout).toContain(`1 regression\n`);
    expect(run.stdout).toContain(`✗ regression: ${name}`);
    expect(run.code).toBe(1);
  });

  it('is never opened again by the way, and keeps its reason while it keeps its state', () => {
    const before = entryText();
    const file = `.stalemate/failures/${name}.json`;
    for (const what of [name, file]) {
      const { code, stderr } = command('corpus', 'promote', what);
      expect(stderr).toMatch(/^stalemate: got no state for ".*", which is fixed since \S+ \(reads again\), expected /);
      expect([code, entryText()]).toEqual([2, before]);
    }

    applyFix();
    expect(command('corpus', 'promote', file, '--state', 'fixed').code).toBe(0);
    expect(decodeCorpusEntry(entryText(), 'entry')).toMatchObject({ state: 'fixed', reason: 'reads again' });
    broken();
  });

  it('is replayed as the new file has it, when a file is to be stored as fixed', () => {
    const before = entryText();
    const stale = before.replaceAll('deployments.apps/default/web#0!sent', 'deployments.apps/default/other#0!sent');
    writeFileSync(join(folder, '.stalemate', 'corpus', `${name}.json`), stale);

    const { code, stderr } = command('corpus', 'promote', `.stalemate/failures/${name}.json`, '--state', 'fixed');

    expect(stderr).toContain(`✗ ${name}  REGRESSION: fixed since`);
    expect([code, entryText()]).toEqual([1, stale]);
    writeFileSync(join(folder, '.stalemate', 'corpus', `${name}.json`), before);
  });

  it('says so when it is stale, and passes neither silently nor as a success', () => {
    const text = entryText();
    const stale = text.replaceAll('deployments.apps/default/web#0!sent', 'deployments.apps/default/other#0!sent');
    writeFileSync(join(folder, '.stalemate', 'corpus', `${name}.json`), stale);

    const { code, stdout } = command('corpus', 'run');
    const run = command('run', '--seed', '11', '--budget', '1');

    expect(stdout).toContain(`? ${name}  STALE: fixed since`);
    expect(stdout).toContain('never happened: controller/update/deployments.apps/default/other#0!sent');
    expect(stdout).toContain(`npx stalemate corpus prune ${name}`);
    expect(code).toBe(3);
    expect(run.stdout).toContain(`fixed, stale: ${name}`);
    expect(command('corpus', 'prune', '--stale', '--dry-run').stdout).toBe(
      `would remove .stalemate/corpus/${name}.json: stale\n`,
    );
    writeFileSync(join(folder, '.stalemate', 'corpus', `${name}.json`), text);
  });

  it('is found with its labels moved when the target was edited harmlessly, and stored so on request', () => {
    const path = join(folder, '.stalemate', 'corpus', `${name}.json`);
    const text = entryText();
    // Simulates the edit: stores the entry as if it was found while the target still made one more write before this one.
    writeFileSync(path, text.replaceAll('default/web#0!sent', 'default/web#1!sent'));

    const { stdout } = command('corpus', 'run', '--update');

    expect(stdout).toContain('the target was edited since; found with labels moved');
    expect(stdout).toContain(
      'deployments.apps/default/web#1!sent  is now  controller/update/deployments.apps/default/web#0!sent',
    );
    expect(entryText()).toBe(text);
  });

  it('is left out, and said to be, when the run is about another target', () => {
    writeFileSync(join(folder, 'other.ts'), TARGET('correct'));

    const { stdout, stderr, code } = command('corpus', 'run', '--target', 'other.ts');

    expect(stdout).toContain(`· ${name}  skipped: it is about another target`);
    expect(stderr).toContain(
      'warning: no finding of .stalemate/corpus was replayed: 1 finding about target.ts, and this run is about other.ts;',
    );
    expect(code).toBe(0);
  });

  it('is replayed from any folder, and kept alike from there', () => {
    const elsewhere = join(folder, 'elsewhere');
    mkdirSync(elsewhere, { recursive: true });
    const away = (...args: readonly string[]): BinResult => stalemate(args, { cwd: elsewhere });
    const where = ['--config', '../stalemate.config.yaml', '--corpus', '../.stalemate/corpus'];
    const flags = ['--target', '../target.ts', '--crds', `${CONTROLLERS}crd.yaml`];

    expect(away('corpus', 'run', ...where).stdout).toContain(`✗ ${name}  REGRESSION: fixed since`);
    expect(
      away('corpus', 'run', ...flags, '--sample', `${CONTROLLERS}sample.yaml`, '--corpus', '../.stalemate/corpus').code,
    ).toBe(1);

    const found = ['--seed', '11', '--budget', '200', '--stop-after', '1', '--property', 'no-lost-update'];
    away('run', ...where, '--no-corpus', ...found);
    const promoted = away('corpus', 'promote', `.stalemate/failures/${name}.json`, ...where, '--state', 'open');
    expect(promoted.stdout).toContain('fixed → open');
    expect(decodeCorpusEntry(entryText(), 'entry').target).toMatchObject({ module: 'target.ts' });
    expect(command('corpus', 'run').stdout).toContain(`✗ ${name}  open since`);
  });

  it('is removed by name, and by being the larger of two', () => {
    cpSync(join(folder, '.stalemate', 'corpus', `${name}.json`), join(folder, '.stalemate', 'corpus', 'twin.json'));

    expect(command('corpus', 'prune', '--doubles').stdout).toBe(
      'removed .stalemate/corpus/twin.json: the same as a smaller one\n',
    );
    expect(command('corpus', 'prune', name).stdout).toBe(`removed .stalemate/corpus/${name}.json: named\n`);
    expect(command('corpus', 'list').stdout).toContain('the corpus is empty');
    expect(command('corpus', 'prune').code).toBe(2);
  });
});

describe('a corpus that cannot be read', () => {
  const text = encodeCorpusEntry(
    corpusEntryOf(lostUpdate().counterexample, { state: 'open', reason: '', since: '2026-11-22' }),
  );

  function withFile(content: string, file = 'a.json'): BinResult {
    const corpus = join(folder, 'bad', 'corpus');
    rmSync(corpus, { recursive: true, force: true });
    mkdirSync(corpus, { recursive: true });
    writeFileSync(join(corpus, file), content);
    return command('run', '--corpus', 'bad/corpus', '--budget', '1');
  }

  it.each([
    ['a merge conflict', text.replace('  "reason"', '<<<<<<< HEAD\n  "reason"'), 'holds a merge conflict at line'],
    ['one that is cut off', text.slice(0, 400), 'is cut off: it ends at line'],
    ['a newer one', text.replace('"version": 1', '"version": 9'), 'is a corpus-entry of version 9'],
    ['a foreign one', '{"a": 1}', 'is no document of stalemate; expected a corpus-entry'],
    [
      'an unknown state',
      text.replace('"open"', '"won\'t fix"'),
      'at state: expected one of "open", "fixed", "quarantined"',
    ],
    [
      'a quarantine without a reason',
      text.replace('"open"', '"quarantined"'),
      'at reason: a quarantined entry needs a reason',
    ],
    ['a day that is none', text.replace('2026-11-22', 'soon'), 'at since: expected a day like "2026-11-22"'],
  ])('stops a run before it begins: %s', (_, content, message) => {
    const { code, stderr } = withFile(content);

    expect(stderr).toContain('"bad/corpus/a.json"');
    expect(stderr).toContain(message);
    expect(stderr.trimEnd().split('\n')).toHaveLength(1);
    expect(code).toBe(2);
  });

  it('lists what can be read beside what cannot, and leaves the file as it is', () => {
    withFile('{');
    writeFileSync(join(folder, 'bad', 'corpus', 'b.json'), text);

    const { code, stdout, stderr } = command('corpus', 'list', '--corpus', 'bad/corpus');

    expect(stdout).toMatch(/^b {2}open since 2026-11-22/);
    expect(stderr).toContain('stalemate: "bad/corpus/a.json" is cut off');
    expect(code).toBe(2);
    expect(readFileSync(join(folder, 'bad', 'corpus', 'a.json'), 'utf8')).toBe('{');
  });

  it('lets no file paint on the terminal', () => {
    withFile(text.replace('"sentence": "', String.raw`"sentence": "\u001b[2J\u202e`));

    const { stdout } = command('corpus', 'list', '--corpus', 'bad/corpus');
    expect(stdout).not.toContain('\u001B');
    expect(stdout).not.toContain('\u202E');
  });

  it.runIf(existsSync('/dev/full'))('says that a place cannot be written, and loses nothing', () => {
    writeFileSync(join(folder, 'a-file'), '');

    const { code, stderr } = command(
      'corpus',
      'promote',
      join('.stalemate', 'failures', `${name}.json`),
      '--corpus',
      'a-file',
    );

    expect(stderr).toContain('a-file" is a file, expected a folder of findings; name another one with --corpus');
    expect(code).toBe(2);
  });

  it('names the entries that there are', () => {
    withFile(text);

    expect(command('corpus', 'explain', 'nope', '--corpus', 'bad/corpus').stderr).toBe(
      'stalemate: got "nope", which is not in the corpus; expected one of a\n',
    );
    expect(command('corpus', 'promote').stderr).toContain(
      'got 0 arguments, expected one: a file of .stalemate/failures',
    );
    expect(command('run', '--corpus-budget', '7').stderr).toContain(
      'got --corpus-budget "7", expected a time like "60s"',
    );
  });
});
