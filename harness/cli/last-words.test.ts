/** The last output of a target is shown if and only if there is no verdict. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { TOKENS } from '../report/redaction/test-secrets.ts';
import { runSchema } from '../report/run/document-schema.ts';
import { summarySchema } from '../report/summary.ts';
import { stalemate } from './test-bin.ts';

const file = (name: string): string => fileURLToPath(new URL(`../test/targets/${name}`, import.meta.url));
const INDEX = new URL('../index.ts', import.meta.url).href;
const { 'GitHub ghp': TOKEN = '' } = TOKENS;
const PASSWORD = 'hunter-2-hunts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'stalemate-words-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

/** Writes a module that watches widgets, prints, and writes no objects. */
function module(name: string): string {
  const path = join(folder, name);
  const prints = `console.log('\\u0007 watching with ${TOKEN}');`;
  writeFileSync(
    path,
    `import { followWidgets } from ${JSON.stringify(file('widget.ts'))};
export default function start(context) { ${prints} followWidgets(context, () => {}); }`,
  );
  return path;
}

/** @param expression - A CEL claim about widgets; each run that breaks it is a violation. */
function configure(expression = 'true'): void {
  const config = {
    target: module('target.ts'),
    crds: [file('crd.yaml')],
    samples: [file('sample.yaml')],
  };
  const always = `[{ name: 'own', resource: 'widgets.example.com', check: () => ${expression} }]`;
  writeFileSync(
    join(folder, 'stalemate.config.ts'),
    `import { defineConfig } from ${JSON.stringify(INDEX)};
export default defineConfig({ ...${JSON.stringify(config)}, always: ${always} });`,
  );
}

it('of a program that ends at once, without its secrets', () => {
  const script = join(folder, 'target.sh');
  writeFileSync(script, `#!/bin/sh\necho "login as $DB_PASSWORD"\necho "token ${TOKEN}"\nexit 3\n`, { mode: 0o755 });
  const args = ['run', '--crds', file('crd.yaml'), '--sample', file('sample.yaml'), '--budget', '20s'];

  const { code, stderr } = stalemate([...args, '--env', `DB_PASSWORD=${PASSWORD}`, '--', script], { cwd: folder });

  expect(code).toBe(3);
  expect(stderr).toMatch(
    /exited while starting \(with code 3\).*\nThe target printed last:\n {2}login as redacted-\S+\n {2}token redacted-\S+\n/,
  );
  expect(stderr).not.toContain(PASSWORD);
  expect(stderr).not.toContain(TOKEN);
});

it('of a campaign in which nothing happened: in the summary, in JSON and in the run document', () => {
  configure();
  const flags = ['run', '--property', 'no-lost-update', '--budget', '20', '--seed', '1'];

  const { code, stdout } = stalemate([...flags, '--report', 'json=run.json', '--report', 'markdown=run.md'], {
    cwd: folder,
  });
  const { stdout: json } = stalemate([...flags, '--json'], { cwd: folder });

  const words = /The target printed last:\n {2}\\u0007 watching with redacted-\S+\n/;
  expect(code).toBe(3);
  expect(stdout).toMatch(words);
  expect(readFileSync(join(folder, 'run.md'), 'utf8')).toMatch(words);
  const line = expect.stringMatching(/^\\u0007 watching with redacted-[0-9a-f]{16}$/) as string;
  expect(summarySchema.parse(JSON.parse(json)).printed).toEqual([line]);
  const [scenario] = runSchema.parse(JSON.parse(readFileSync(join(folder, 'run.json'), 'utf8'))).scenarios;
  expect(scenario?.printed).toEqual([line]);
});

it('but not where something fails', () => {
  configure('false');

  const { code, stdout } = stalemate(['run', '--property', 'own', '--budget', '20', '--json'], { cwd: folder });

  expect(code).toBe(1);
  expect(summarySchema.parse(JSON.parse(stdout)).printed).toBeUndefined();
});
