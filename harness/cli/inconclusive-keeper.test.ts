import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { InconclusiveRun } from '../model/finding.ts';
import { EMPTY_SCHEDULE } from '../model/schedule.ts';
import { recordingPage, recordingSentence } from '../report/html/recording-page.ts';
import { recordingOf } from '../report/record.ts';
import { lostUpdate } from '../report/test-findings.ts';
import { decodeRecording, encodeRecording } from '../schedule/codec/recording.ts';
import { InconclusiveKeeper } from './inconclusive-keeper.ts';
import { judgeRecording } from './library.ts';

const RUN: InconclusiveRun = {
  property: 'convergence',
  reason: 'the run never came to rest',
  schedule: EMPTY_SCHEDULE,
  history: lostUpdate().record,
};

let folder: string;
beforeEach(() => {
  failures = [];
  folder = mkdtempSync(join(tmpdir(), 'stalemate-inconclusive-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

let failures: unknown[];
const note = (error: unknown): void => void failures.push(error);

function kept(): { readonly keeper: InconclusiveKeeper; readonly text: string; readonly file: string } {
  const keeper = new InconclusiveKeeper(join(folder, 'out'), folder, note);
  keeper.keep(() => recordingOf(RUN));
  const file = keeper.files['convergence: the run never came to rest'] ?? '';
  return { keeper, file, text: readFileSync(join(folder, file), 'utf8') };
}

describe('a run that nothing can be said about', () => {
  it('is kept under the name of its reason, with all that happened', () => {
    const { file, text } = kept();

    expect(failures).toEqual([]);
    expect(file).toMatch(/^out\/recordings\/inconclusive-[0-9a-f]{6}\.json$/);
    const { source, inconclusive, actors, history } = decodeRecording(text, file);
    expect({ source, inconclusive }).toEqual({
      source: 'run',
      inconclusive: { property: 'convergence', reason: 'the run never came to rest' },
    });
    expect(Object.keys(actors)).toContain('controller');
    expect(history.operations).toHaveLength(RUN.history.operations.length);
  });

  it('has a page that blames nobody, whatever else can be seen in it', () => {
    const { text, file } = kept();
    const recording = decodeRecording(text, file);
    const opinions = judgeRecording(recording);
    const page = recordingPage(recording, opinions, file);

    expect(recordingSentence(recording, opinions)).toMatch(/^Not a finding: convergence has no opinion on this run/);
    expect(/<h1 class="blameless">\s*(.*?)\s*<\/h1>/s.exec(page)?.[1]).toBe('INCONCLUSIVE');
    expect(page).not.toContain('class="note bad"');
    expect(page).toContain('if it polls by nature');
  });

  it('is read as before where an older stalemate recorded it', () => {
    const { inconclusive: _reason, ...recording } = decodeRecording(kept().text, 'f');
    const old = encodeRecording({ ...recording, source: 'gate' }).replace('"version": 2', '"version": 1');

    expect(decodeRecording(old, 'f')).toMatchObject({ version: 2, source: 'gate' });
  });

  it('costs the campaign nothing when it cannot be written', () => {
    const keeper = new InconclusiveKeeper('/dev/null/out', folder, note);
    keeper.keep(() => recordingOf(RUN));

    expect([keeper.files, failures.length]).toEqual([{}, 1]);
  });
});
