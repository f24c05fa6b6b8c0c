import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { stalemate } from '../cli/test-bin.ts';
import { decodeRecord, encodeHistory, replay } from '../index.ts';
import type { FindingRecord, History } from '../index.ts';

const RELEASES = fileURLToPath(new URL('../../controllers-under-test/releases/', import.meta.url));

let folder: string;
let file: string;
let record: FindingRecord;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'stalemate-replay-'));
  const target = ['--target', `${RELEASES}refreshes-version-only/controller.ts`, '--crds', `${RELEASES}crd.yaml`];
  const search = ['--property', 'no-lost-update', '--budget', '300', '--stop-after', '1', '--seed', '1'];
  stalemate(['run', ...target, '--sample', `${RELEASES}sample.yaml`, ...search], { cwd: folder });
  const [name = ''] = readdirSync(join(folder, '.stalemate', 'failures'));
  file = join('.stalemate', 'failures', name);
  record = decodeRecord(readFileSync(join(folder, '.stalemate', 'records', name), 'utf8'), name);
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

/** Returns the stored history without the data that judging added to it. */
function happened(history: History): string {
  const { reference: _, ...own } = history;
  return encodeHistory({ ...own, probes: [] });
}

it('gives the recorded history in every replay, byte for byte, each in a worker of its own', async () => {
  const first = await replay(record.counterexample, { cwd: folder, times: 1 });
  const second = await replay(record.counterexample, { cwd: folder, times: 2 });

  expect(record.history.decisions.length).toBeGreaterThan(0);
  expect(happened(first.history)).toBe(happened(record.history));
  expect(happened(second.history)).toBe(happened(record.history));
  expect(second.reproduced).toEqual({ k: 2, n: 2 });
  expect(second.violation?.signature).toEqual(record.counterexample.signature);
  expect(second.violation?.sentence).toBe(record.counterexample.sentence);
});

it('shrinks and proves a finding again that a campaign had no time for', async () => {
  const { counterexample } = record;
  // A deviation that the failure does not need.
  const [hold] = counterexample.schedule.holds;
  const idle = { ...(hold ?? { from: '@0', until: 'heal' }), stream: 'controller/watch/nothing/default#0' };
  const holds = [...counterexample.schedule.holds, idle];
  const large = { ...counterexample, schedule: { ...counterexample.schedule, holds } };

  const { shrunk, reproduced } = await replay(large, { cwd: folder, times: 1, shrink: true });

  expect(reproduced).toEqual({ k: 1, n: 1 });
  expect(shrunk?.counterexample.schedule).toEqual(counterexample.schedule);
  expect(shrunk?.stats.reproduced).toEqual({ k: 5, n: 5 });
  expect(shrunk?.violation.cause).toEqual(counterexample.cause);
});

it('writes what replay --shrink has shrunk in place of the larger one', () => {
  const { stdout, stderr } = stalemate(['replay', file, '--shrink', '--json'], { cwd: folder });

  const lines = ['replaying on embedded, runs: 5', 'loading the target', 'running it undisturbed', 'replaying it'];
  const all = [...lines, 'shrinking it', 'running the smaller form again', ''];
  expect(stderr.split('\n').slice(0, all.length)).toEqual(all);
  expect(JSON.parse(stdout)).toMatchObject({ shrunk: { counterexample: file, reproduced: { k: 5, n: 5 } } });
  expect(readFileSync(join(folder, file), 'utf8')).toContain('"kind": "counterexample"');
});

it('prints the same document from the file twice', () => {
  const [first, second] = [1, 2].map(() => stalemate(['replay', file, '--json'], { cwd: folder }));

  expect(first?.code).toBe(1);
  expect(JSON.parse(first?.stdout ?? '')).toMatchObject({ outcome: 'reproduced', reproduced: { k: 5, n: 5 } });
  expect(second).toEqual(first);
});
