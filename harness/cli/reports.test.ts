import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { HOSTILE, hostileRun, withFinding } from '../report/run/test-run.ts';
import type { Console } from './console.ts';
import { annotated, reportArgument, Reports, type ReportRequest } from './reports.ts';

let folder: string;
let out: string;
let printed: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'stalemate-reports-'));
  out = '';
  printed = '';
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

function reports(requests: readonly string[], env: { readonly [name: string]: string } = {}): Reports {
  const console: Console = {
    out: (text) => (out += text),
    err: () => {},
    color: false,
    width: 100,
    cwd: folder,
    called: 'npx stalemate',
  };
  const asked = requests.reduce<readonly ReportRequest[]>((before, text) => reportArgument(text, before), []);
  return new Reports(asked, { console, reportDir: join(folder, 'dir'), print: (text) => (printed += text), env });
}

const read = (...path: readonly string[]): string => readFileSync(join(folder, ...path), 'utf8');

describe('--report', () => {
  it('refuses what is no format, and says where a folder is named', () => {
    expect(() => reportArgument('juint', undefined)).toThrow(
      'got --report "juint", expected one of text, junit, github, markdown, jsonl, sarif, json, or FORMAT=PATH',
    );
    expect(() => reportArgument('out/reports', undefined)).toThrow('is named with --report-dir');
    expect(() => reportArgument('junit=', undefined)).toThrow('expected a path after "="');
    expect(() => reportArgument('json=-', reportArgument('junit=-', undefined))).toThrow('at most one "=-"');
  });

  it('writes each format to its place in the report folder, or where the path says', () => {
    reports(['junit', 'sarif=codes/a=b.sarif', 'text=printed.txt']).write(withFinding());

    expect(read('dir/junit.xml')).toContain('<testsuites');
    expect(read('codes/a=b.sarif')).toContain('"2.1.0"');
    expect(printed).toContain('junit: dir/junit.xml\n');
  });

  it('gives stdout to the one document that asks for it', () => {
    reports(['jsonl=-', 'junit']).write(withFinding());

    expect(out.split('\n')[0]).toMatch(/^\{"version":1,"type":"run"/);
    expect(out).not.toContain('junit');
  });

  it('keeps what was printed, without colours, as text', () => {
    const kept = reports(['text=printed.txt']);

    kept.print('\u001B[31mred\u001B[39m\n');
    kept.write(withFinding());

    expect(read('printed.txt')).toBe('red\nreport: dir/index.html\n');
  });

  it('adds the summary to what other steps wrote for the job', () => {
    writeFileSync(join(folder, 'step.md'), '# before\n');

    reports(['markdown'], { GITHUB_STEP_SUMMARY: join(folder, 'step.md') }).write(withFinding());

    expect(read('step.md')).toBe(`# before\n${read('dir/summary.md')}`);
  });

  it('lets one that cannot be written cost the others nothing', () => {
    mkdirSync(join(folder, 'dir'));
    writeFileSync(join(folder, 'file'), '');
    const kept = reports(['junit=file/x.xml', 'json', 'markdown'], { GITHUB_STEP_SUMMARY: join(folder, 'no', 'file') });

    kept.write(withFinding());

    expect(read('dir/index.html')).toContain('<h1');
    expect(kept.failures).toEqual([
      expect.stringContaining('could not write "'),
      expect.stringContaining('GITHUB_STEP_SUMMARY'),
    ]);
    expect(JSON.parse(read('dir/run.json'))).toMatchObject({ kind: 'run' });
  });

  it('has GitHub obey nothing that a controller or an object says', () => {
    const kept = reports(['github']);

    kept.begin();
    kept.print(HOSTILE);
    kept.write(hostileRun());

    const token = /^::stop-commands::([0-9a-f]{64})\n/.exec(printed)?.[1] ?? '';
    const [, before = '', after = ''] = printed.split(token);
    expect(before).toContain('::set-output name=a');
    expect(after).toMatch(/^::\nreport: dir\/index\.html\n::error /);
  });
});

it('names files from the root of the repository where GitHub tells it', () => {
  expect(annotated('/repo/sub/src/a.ts', '/repo/sub', { GITHUB_WORKSPACE: '/repo' })).toBe('sub/src/a.ts');
  expect(annotated('/repo/sub/src/a.ts', '/repo/sub', {})).toBe('src/a.ts');
  expect(annotated('/repo/sub/src/a.ts', '/repo/sub', { GITHUB_WORKSPACE: '/other' })).toBe('src/a.ts');
});
