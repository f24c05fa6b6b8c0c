import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { findingFiles } from '../report/record.ts';
import { lostUpdate } from '../report/test-findings.ts';
import { partialOf } from '../report/write-files.ts';
import { decodeReplayable } from '../schedule/codec/record.ts';
import type { Console } from './console.ts';
import { FindingKeeper } from './finding-keeper.ts';

let folder: string;
let printed: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'stalemate-keeper-'));
  printed = '';
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

function keeper(): FindingKeeper {
  const console: Console = {
    out: () => {},
    err: () => {},
    color: false,
    width: 100,
    cwd: folder,
    called: 'npx stalemate',
  };
  return new FindingKeeper(join(folder, '.stalemate'), console, (text) => {
    printed += text;
  });
}

describe('FindingKeeper', () => {
  it('writes what replay reads, and tells the story with the command', () => {
    const kept = keeper();

    kept.keep(lostUpdate());

    const path = kept.pathOf(lostUpdate()) ?? '';
    expect(path).toMatch(/^\.stalemate\/failures\/lost-update-/);
    expect(decodeReplayable(readFileSync(join(folder, path), 'utf8'), path)).toEqual(lostUpdate().counterexample);
    expect(printed).toContain(`replay: npx stalemate replay ${path}`);
    expect(kept.failures).toEqual([]);
  });

  it.runIf(existsSync('/dev/full'))('writes the counterexample elsewhere when the disk is full, and says so', () => {
    const kept = keeper();
    const { counterexample } = findingFiles(join(folder, '.stalemate'), lostUpdate());
    mkdirSync(dirname(counterexample), { recursive: true });
    symlinkSync('/dev/full', partialOf(counterexample));

    const isKept = kept.keep(lostUpdate());

    const [, path = ''] = /replay: npx stalemate replay (\S+)/.exec(printed) ?? [];
    const text = readFileSync(path, 'utf8');
    rmSync(dirname(path), { recursive: true });
    expect(isKept).toBe(true);
    expect(printed).toContain('LOST UPDATE');
    expect(printed).toContain("✗ writer-1's change is gone");
    expect(dirname(dirname(path))).toBe(tmpdir());
    expect(decodeReplayable(text, path)).toEqual(lostUpdate().counterexample);
    expect(kept.failures).toEqual([expect.stringContaining(`could not write "${counterexample}": the disk is full`)]);
    expect(kept.pathOf(lostUpdate())).toBeUndefined();
  });

  it.runIf(existsSync('/dev/full'))('shows the story when nothing can be written anywhere', () => {
    const kept = keeper();
    const { counterexample } = findingFiles(join(folder, '.stalemate'), lostUpdate());
    mkdirSync(dirname(counterexample), { recursive: true });
    symlinkSync('/dev/full', partialOf(counterexample));
    vi.stubEnv('TMPDIR', join(folder, 'absent'));

    expect(kept.keep(lostUpdate())).toBe(false);

    vi.unstubAllEnvs();
    expect(printed).toContain('LOST UPDATE');
    expect(printed).toContain('replay: not possible, the counterexample could not be written');
    expect(kept.fault).toBeUndefined();
  });

  it.runIf(existsSync('/dev/full'))('replays a counterexample whose record did not fit on the disk', () => {
    const kept = keeper();
    const { record } = findingFiles(join(folder, '.stalemate'), lostUpdate());
    mkdirSync(dirname(record), { recursive: true });
    symlinkSync('/dev/full', partialOf(record));

    expect(kept.keep(lostUpdate())).toBe(true);

    const { counterexample, record: shown } = kept.pathsOf(lostUpdate());
    expect(printed).toContain(`replay: npx stalemate replay ${counterexample ?? ''}`);
    expect(shown).toBeNull();
    expect(kept.failures).toEqual([expect.stringContaining(`could not write "${record}": the disk is full`)]);
  });

  it('gives the finding even when its document cannot be made, and remembers the fault', () => {
    const kept = keeper();
    const finding = lostUpdate();
    const unfit = { ...finding.counterexample, namespace: 5 as unknown as string };

    kept.keep({ ...finding, counterexample: unfit });

    expect(printed).toContain('LOST UPDATE');
    expect(String(kept.fault)).toContain('a counterexample fits its schema, at namespace: expected a string, found 5');
  });
});
