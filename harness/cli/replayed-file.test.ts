import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { corpusEntryOf } from '../model/corpus.ts';
import type { CounterexampleTarget } from '../model/counterexample.ts';
import { encodeCorpusEntry } from '../schedule/codec/corpus-entry.ts';
import { encodeCounterexample } from '../schedule/codec/counterexample.ts';
import { decodeReplayable } from '../schedule/codec/record.ts';
import { readReplayed } from './replayed-file.ts';

const CRD = fileURLToPath(new URL('../../controllers-under-test/releases/crd.yaml', import.meta.url));
const RECORD = new URL('../../docs/examples/lost-update.record.json', import.meta.url);
const found = decodeReplayable(readFileSync(RECORD, 'utf8'), 'the example');
const program: CounterexampleTarget = { command: ['bin/manager', '--verbose'], directory: '.' };
const module: CounterexampleTarget = { module: 'target.ts', transport: 'http-library' };
const NONE = { options: {} };

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'stalemate-replayed-'));
  writeFileSync(join(folder, 'target.ts'), '');
  mkdirSync(join(folder, 'bin'));
  writeFileSync(join(folder, 'bin', 'manager'), '', { mode: 0o755 });
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

function writeEntry(target: CounterexampleTarget = module): string {
  const file = join(folder, 'entry.json');
  const entry = corpusEntryOf({ ...found, target }, { state: 'open', reason: '', since: '2026-11-26' });
  writeFileSync(file, encodeCorpusEntry(entry));
  return file;
}

/** A Deployment that starts `manager` with arguments, as a project ships it. */
function writeManifests(): string {
  const file = join(folder, 'install.yaml');
  const container = { name: 'manager', image: 'manager', command: ['/manager'], args: ['--shipped'] };
  const template = { metadata: { labels: { app: 'a' } }, spec: { containers: [container] } };
  const spec = { selector: { matchLabels: { app: 'a' } }, template };
  writeFileSync(
    file,
    JSON.stringify({
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'manager', namespace: 'system' },
      spec,
    }),
  );
  return file;
}

describe('the file of a replay', () => {
  it('takes the CRDs of an entry of a corpus from the command line', async () => {
    const { stored } = await readReplayed(writeEntry(), { crds: [CRD] }, NONE, folder);

    expect(stored.kind).toBe('counterexample');
    expect(stored.schedule).toEqual(found.schedule);
    expect(stored.crds.map(({ metadata }) => metadata.name)).toEqual(['releases.delivery.example.com']);
    expect(stored.project).toBeUndefined();
  });

  it('takes them from the configuration else', async () => {
    const { stored } = await readReplayed(writeEntry(), {}, { options: { crds: [CRD] } }, folder);

    expect(stored.crds).toHaveLength(1);
  });

  it('finds the Deployment of an entry by the program that the user names, and takes its arguments', async () => {
    const flags = { crds: [CRD], manifests: [writeManifests()] };
    const { stored, command } = await readReplayed(
      writeEntry(program),
      { ...flags, command: ['bin/manager'] },
      NONE,
      folder,
    );

    expect(stored.project?.workload).toBe('Deployment/system/manager');
    expect(command).toEqual(['bin/manager', '--shipped']);
  });

  it('finds it by the program of the entry where the user names none, who then has no command', async () => {
    const flags = { crds: [CRD], manifests: [writeManifests()] };
    const { stored, command } = await readReplayed(writeEntry(program), flags, NONE, folder);

    expect(stored.project?.workload).toBe('Deployment/system/manager');
    expect(command).toBeUndefined();
  });

  it('refuses them with a counterexample, which contains its own', async () => {
    const file = join(folder, 'found.json');
    writeFileSync(file, encodeCounterexample(found));

    await expect(readReplayed(file, { crds: [CRD] }, NONE, folder)).rejects.toThrow(
      'got --crds with a file that contains its own CRDs and manifests, expected none; leave it out',
    );
    await expect(readReplayed(file, {}, NONE, folder)).resolves.toEqual({ stored: found });
  });
});
