import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { earlierText, storedFindings } from './earlier-findings.ts';

let cwd: string;
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'stalemate-earlier-'));
});
afterEach(() => {
  rmSync(cwd, { recursive: true, force: true });
});

function store(...names: readonly string[]): readonly string[] {
  const reportDir = join(cwd, '.stalemate');
  mkdirSync(join(reportDir, 'failures'), { recursive: true });
  for (const name of names) writeFileSync(join(reportDir, 'failures', name), '{}');
  return storedFindings(reportDir);
}

const text = (stored: readonly string[], ...repeated: readonly string[]): string =>
  earlierText(stored, repeated, { cwd, called: 'npx stalemate' });

describe('earlierText', () => {
  it('is empty without a folder, and for findings that the run repeated', () => {
    expect(storedFindings(join(cwd, 'nowhere'))).toEqual([]);
    expect(text([])).toBe('');
    expect(text(store('a-1.json'), '.stalemate/failures/a-1.json')).toBe('');
  });

  it('knows the same cause by its number, under another title, and as an entry of the corpus', () => {
    const stored = store('not-converged-9669dc.json', 'lost-update-1a2b3c.json');

    expect(text(stored, '.stalemate/failures/lost-update-9669dc.json', 'lost-update-1a2b3c')).toBe('');
  });

  it('names the command for what the run did not repeat', () => {
    const stored = store('b-2.json', 'a-1.json', 'a-1.json.part');

    expect(text(stored, '.stalemate/failures/a-1.json')).toBe(
      '1 finding of earlier runs has not been reported by this one; to see whether it is fixed:\n' +
        '  → npx stalemate replay .stalemate/failures/b-2.json\n',
    );
  });

  it('shows three commands at most', () => {
    const lines = text(store('a-1.json', 'b-2.json', 'c-3.json', 'd-4.json', 'e-5.json')).split('\n');

    expect(lines[0]).toContain('5 findings of earlier runs have not');
    expect(lines.slice(1)).toEqual([
      ...['a-1', 'b-2', 'c-3'].map((stem) => `  → npx stalemate replay .stalemate/failures/${stem}.json`),
      '  and 2 more',
      '',
    ]);
  });
});
