/** Checks the reports in docs/reports: readers can replay each finding, and the pages list it. */
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { decodeCorpusEntry } from '../harness/schedule/codec/corpus-entry.ts';

const FOLDER = fileURLToPath(new URL('../docs/reports/', import.meta.url));
const read = (name: string): string => readFileSync(`${FOLDER}${name}`, 'utf8');
const files = readdirSync(FOLDER);
const findings = files.filter((name) => name.endsWith('.json'));
const reports = files.filter((name) => /^\d{4}-.*\.md$/.test(name));
/** Small enough for a maintainer to read completely. */
const BYTES_MAX = 24_000;
const SECTIONS = ['## What a user sees', '## Replay', '## Cause', '## Fix'];

it('has reports', () => {
  expect(reports.length).toBeGreaterThan(0);
  expect(findings.map((name) => name.replace('.json', '.md'))).toEqual(reports);
});

describe.each(findings)('%s', (name) => {
  it('is a finding that the current version replays', () => {
    const entry = decodeCorpusEntry(read(name), name);

    expect(entry.sentence).not.toBe('');
    expect(entry.workload.sample.length).toBeGreaterThan(0);
    expect(entry.target).toMatchObject({ directory: '.' });
  });

  it('is small, and contains nothing about the machine that found it', () => {
    const text = read(name);

    expect(Buffer.byteLength(text)).toBeLessThan(BYTES_MAX);
    expect(text).not.toMatch(/"[^"]*\/(?:root|home|Users|work)\//);
    expect(text).not.toContain('redacted-');
  });
});

describe.each(reports)('%s', (name) => {
  const text = read(name);

  it('has the sections that a maintainer needs', () => {
    expect(text.split('\n')[0]).toMatch(/^# \S/);
    for (const section of SECTIONS) expect(text).toContain(`\n${section}\n`);
    expect(text).toMatch(/^(?:Confirmed \d of 5|Not yet confirmed) on kube-apiserver/m);
  });

  it('replays its own finding in three commands', () => {
    const commands = /^## Replay\n[\s\S]*?^```sh\n([\s\S]*?)^```$/m.exec(text)?.[1]?.trim().split('\n') ?? [];

    expect(commands).toHaveLength(3);
    expect(commands[2]).toMatch(/^npx stalemate replay /);
    expect(commands[2]).toContain(name.replace('.md', '.json'));
  });

  it('is in the list of reports', () => {
    expect(read('README.md')).toContain(`](${name})`);
  });
});
