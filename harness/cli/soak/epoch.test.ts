import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { SoakEntry } from '../../model/soak.ts';
import { batchResult, entry, finding, head } from '../../report/soak/test-lines.ts';
import { encodeSoakLine } from '../../schedule/codec/soak-line.ts';
import { soakFolder, unfinishedEpoch } from './epoch.ts';

const SHARD = { index: 1, count: 2 };
const SOAK = { about: 'a1', program: null, shard: SHARD };
const BEGUN = [head('1/2'), entry('1/2', { line: 'begun', batch: 0 }, 1)];
const ENDED = [
  ...BEGUN,
  entry('1/2', { line: 'batch', batch: 0, result: batchResult() }, 2),
  entry('1/2', { line: 'ended' }, 3),
];

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'stalemate-epoch-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function put(epoch: string, entries: readonly SoakEntry[], day = '22'): void {
  const place = soakFolder(folder, epoch, SHARD);
  mkdirSync(place, { recursive: true });
  const lines = entries.map(({ line }) =>
    encodeSoakLine({ ...line, epoch, at: line.at.replace('2026-11-22', `2026-11-${day}`) }),
  );
  writeFileSync(join(place, 'soak.jsonl'), `${lines.join('\n')}\n`);
}

describe('a soak whose epoch nobody names', () => {
  it('goes on with the one that was heard of last among those that are not finished', () => {
    put('first', BEGUN, '20');
    put('second', BEGUN, '21');
    put('third', ENDED, '22');

    expect(unfinishedEpoch(folder, SOAK)).toBe('second');
  });

  it('takes one for finished that was asked of a real server after its end, and not one that has more time', () => {
    put('asked', [...ENDED, entry('1/2', { line: 'finding', batch: 0, record: finding('spec.replicas') }, 2)]);
    expect(unfinishedEpoch(folder, SOAK)).toBeUndefined();

    put('longer', [...ENDED, head('1/2')]);
    expect(unfinishedEpoch(folder, SOAK)).toBe('longer');
  });

  it('leaves those of another target, build or shard, and what cannot be read', () => {
    put('begun', BEGUN);
    mkdirSync(soakFolder(folder, 'other', SHARD), { recursive: true });
    writeFileSync(join(soakFolder(folder, 'other', SHARD), 'soak.jsonl'), '{"version":99,"kind":"soak-line"}\n');

    expect(unfinishedEpoch(folder, { ...SOAK, about: 'b2' })).toBeUndefined();
    expect(unfinishedEpoch(folder, { ...SOAK, program: 'rebuilt' })).toBeUndefined();
    expect(unfinishedEpoch(folder, { ...SOAK, shard: { index: 2, count: 2 } })).toBeUndefined();
    expect(unfinishedEpoch(folder, SOAK)).toBe('begun');
  });

  it('begins one where there is none', () => {
    expect(unfinishedEpoch(join(folder, 'nowhere'), SOAK)).toBeUndefined();
  });
});
