import { describe, expect, it } from 'vitest';
import { tellStory } from './story.ts';
import { renderStory, triedText } from './terminal.ts';
import { lostUpdate, STATS } from './test-findings.ts';

const REPLAY = 'npx stalemate replay .stalemate/failures/lost-update-7f3.json';

describe('renderStory', () => {
  it('prints a lost update in thirteen lines of 100 columns, with a suggested fix, and two lines to paste', () => {
    const text = renderStory(tellStory(lostUpdate()), { width: 100, color: false, replay: REPLAY });

    expect(text).toBe(
      [
        "LOST UPDATE  controller reverted writer-1's acknowledged spec.replicas 3→5 (version 102): its PUT",
        '             carries content of version 101 under version 102, fetched after a 409. At rest it',
        '             leaves replicas alone.',
        ' #  writer-1              controller (has seen)          API server deployments/web',
        ' 1                        (101 replicas=3)',
        ' ── preemption 1 of 1: before controller/update/deployments.apps/default/web#0!sent run writer-1 ──',
        '     (without it: passes)',
        ' 2  GET ➜ 101 replicas=3',
        ' 3  PUT 101 replicas=5 ────────────────────────────────▶ 102 replicas=5',
        ' 4                        PUT 101 image=v2 ────────────▶ 409 Conflict',
        ' 5                        GET ➜ 102 replicas=5',
        " 6                        PUT 102 image=v2 replicas=3 ─▶ 103 replicas=3  ✗ writer-1's change is gone",
        ' 93→6 steps · 24→2 actors · 25 runs · deterministic 5/5 · everyday (no lag needed) · embedded only',
        ' fix: After a 409, read the object again and compute the change again from what was read.',
        ` replay: ${REPLAY}`,
        " waive: { property: 'no-lost-update', kind: 'deployments.apps', field: 'spec.replicas', reason: '', expires: '' }",
        '',
      ].join('\n'),
    );
  });

  it.each([60, 80, 100, 120])('keeps within %i columns, except for what is there to be copied', (width) => {
    const text = renderStory(tellStory(lostUpdate()), { width, color: false, replay: REPLAY });

    const tooLong = text.split('\n').filter((line) => line.length > width && !/^ (replay|waive): /.test(line));
    expect(tooLong).toEqual([]);
    expect(text).toContain("✗ writer-1's change is gone");
  });

  it.each([60, 80])('breaks the guilty request at %i columns, and cuts no word of it', (width) => {
    const request = `PUT /status 102 ${['type', 'status', 'reason', 'message'].map((name) => `${name}=of-a-condition`).join(' ')} +12 more`;
    const story = tellStory(lostUpdate());
    const rows = story.rows.map((row) =>
      row.row === 'operation' && row.guilty ? { ...row, request, short: request } : row,
    );
    const text = renderStory({ ...story, rows }, { width, color: false, replay: REPLAY });

    expect(text.replaceAll(/\s+/g, ' ')).toContain(request);
    expect(text.split('\n').filter((line) => line.length > width && !/^ (replay|waive): /.test(line))).toEqual([]);
    expect(text).toMatch(/[▶→] 103 replicas=3\n +✗ writer-1's change is gone\n/);
  });

  it('shows an error of the log to its end, in three lines at most, and other lines in one', () => {
    const story = tellStory(lostUpdate());
    const log = (text: string, isError: boolean) => ({
      ...({ row: 'event', kind: 'log', at: 0, actor: 'controller', guilty: false, isError } as const),
      text: `“${text} ${'and more '.repeat(12)}reason”`,
    });
    const rendered = renderStory(
      { ...story, rows: [log('failed', true), log('Reconciling', false), ...story.rows] },
      { width: 100, color: false, replay: REPLAY },
    );

    expect(rendered.match(/reason”/g)).toHaveLength(1);
    expect(rendered).toMatch(/“Reconciling [^”]*…\n/);
  });

  it('tells fields apart that lie deep, and what they should be', () => {
    const leaf = (name: string): string => `metadata.ownerReferences[uid=14b291b5-97f6-41d9-8a70-d437dc58206e].${name}`;
    const atRest = ['apiVersion', 'controller'].map((name) => ({
      ...{ object: 'configmaps/route-shop', leaf: leaf(name) },
      ...{ actual: 'absent', expected: '"edge.example.org/v1"' },
    }));
    const text = renderStory({ ...tellStory(lostUpdate()), atRest }, { width: 100, color: false, replay: REPLAY });

    expect(text.split('\n').filter((line) => line.startsWith(' at rest'))).toEqual([
      ' at rest  configmaps/route-shop …70-d437dc58206e].apiVersion: absent, expected "edge.example.org/v1"',
      ' at rest  configmaps/route-shop …70-d437dc58206e].controller: absent, expected "edge.example.org/v1"',
    ]);
  });

  it('says well what shrinking did, also where fewer deviations take more steps', () => {
    const told = (before: number, after: number): string =>
      triedText({ ...STATS, stepsBefore: before, stepsAfter: after }, { deterministic: true }).split(' · ')[0] ?? '';

    expect([told(93, 6), told(21, 32), told(1, 1)]).toEqual(['93→6 steps', '32 steps (21 when found)', '1 step']);
  });

  it('shows what would move the cursor or turn the text as what it is', () => {
    const finding = lostUpdate();
    const sentence = 'controller \u001B[2J\u202Etook\u061C over';
    const text = renderStory(tellStory({ ...finding, violation: { ...finding.violation, sentence } }), {
      width: 100,
      color: false,
      replay: REPLAY,
    });

    expect(text).toContain(String.raw`controller \u001b[2J\u202etook\u061c over`);
  });

  it('keeps the heads of narrow columns apart', () => {
    const story = tellStory(lostUpdate());
    const actors = ['user', 'writer-1', 'writer-2', 'controller', 'controller~2'];

    const text = renderStory({ ...story, actors }, { width: 100, color: false, replay: REPLAY });

    expect(text).toMatch(/ # +user +writer-1 +writer-2 +controller +controller~2/);
  });

  it('colours preemptions and the guilty mark only when asked to', () => {
    const story = tellStory(lostUpdate());

    const plain = renderStory(story, { width: 100, color: false, replay: REPLAY });
    const colored = renderStory(story, { width: 100, color: true, replay: REPLAY });

    // oxlint-disable-next-line no-control-regex -- escape sequences are what is looked for
    const escapes = /\u001B\[\d+m/g;
    expect(plain).not.toMatch(escapes);
    expect(colored).toMatch(escapes);
    expect(colored.replaceAll(escapes, '')).toBe(plain);
  });
});
