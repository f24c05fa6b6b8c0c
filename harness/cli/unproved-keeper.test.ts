import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { Vault } from '../report/redaction/vault.ts';
import { lostUpdate } from '../report/test-findings.ts';
import { decodeReplayable } from '../schedule/codec/record.ts';
import { UnprovedKeeper } from './unproved-keeper.ts';

let folder: string;
let printed: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'stalemate-unproved-'));
  printed = '';
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

function keeper(reportDir = 'out'): UnprovedKeeper {
  const err = (text: string): void => void (printed += text);
  return new UnprovedKeeper(join(folder, reportDir), { cwd: folder, called: 'npx stalemate', err }, new Vault());
}

it('has what replay reads while a violation is proved, and tells of it where that never ended', () => {
  const kept = keeper();

  kept.seen(lostUpdate());
  const [name = ''] = readdirSync(join(folder, 'out', 'unproved'));
  const file = join('out', 'unproved', name);
  kept.close();
  kept.close();

  expect(decodeReplayable(readFileSync(join(folder, file), 'utf8'), file)).toMatchObject({ kind: 'counterexample' });
  expect(printed).toBe(
    `seen, and not proved: ${file}; "npx stalemate replay ${file} --shrink" shrinks and proves it\n`,
  );
});

it('leaves nothing once it is settled', () => {
  const kept = keeper();

  kept.seen(lostUpdate());
  kept.settled();
  kept.settled();
  kept.close();

  expect(readdirSync(join(folder, 'out'))).toEqual([]);
  expect(printed).toBe('');
});

it('leaves what another run has left', () => {
  const kept = keeper();

  kept.seen(lostUpdate());
  writeFileSync(join(folder, 'out', 'unproved', 'older.json'), '{}');
  kept.settled();
  kept.close();

  expect(readdirSync(join(folder, 'out', 'unproved'))).toEqual(['older.json']);
});

it('costs no search where it cannot write', () => {
  writeFileSync(join(folder, 'file'), '');
  const kept = keeper('file');

  kept.seen(lostUpdate());
  kept.settled();
  kept.close();

  expect(printed).toBe('');
  expect(existsSync(join(folder, 'file', 'unproved'))).toBe(false);
});
