/** A campaign that finds a bug which only a broken connection shows: search, story and replay. Needs a toxiproxy server. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { findToxiproxy, missingToxiproxyText } from 'stalemate-apiserver/control-plane/binaries';
import { resolveRun, revisitConfigured } from '../cli/library.ts';
import { corpusEntryOf } from '../model/corpus.ts';
import { DEFAULT_FAULT_KINDS } from '../model/fault-kinds.ts';
import {
  decodeCounterexample,
  encodeCounterexample,
  renderStory,
  replay,
  run,
  tellStory,
  type StalemateOptions,
} from '../index.ts';

const installed = findToxiproxy() !== undefined;
if (!installed) console.log(`campaigns with faults of connections are not tried: ${missingToxiproxyText()}`);

const file = (path: string): string => fileURLToPath(new URL(`./targets/${path}`, import.meta.url));
const OPTIONS: StalemateOptions = {
  command: [process.execPath, file('panics-when-cut.mjs')],
  crds: [file('crd.yaml')],
  samples: [file('sample.yaml')],
  properties: ['survival'],
  budget: 300,
  seed: 2,
  stopAfter: 1,
  faults: {
    ...Object.fromEntries(DEFAULT_FAULT_KINDS.map((kind) => [kind, false])),
    down: true,
    reset: true,
    'black-hole': true,
  },
};

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'stalemate-connections-'));
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true, force: true });
});

describe.runIf(installed)('a campaign with faults of connections', { timeout: 240_000 }, () => {
  it('finds who does not survive a broken one, tells it in plain words, and replays it', async () => {
    const { findings } = await run({ ...OPTIONS, reportDir: folder }, { shrinkMs: 25_000 });

    const [found] = findings;
    expect(found?.violation.signature.property).toBe('survival');
    if (found === undefined) return;
    const { schedule } = found.counterexample;
    expect(schedule.faults).toHaveLength(1);
    expect(schedule.faults).toMatchObject([{ link: 'target' }]);
    expect(schedule.preemptions.length + schedule.holds.length).toBe(0);
    const { violation, counterexample, record, stats } = found;
    const story = renderStory(tellStory({ violation, counterexample, record, stats }), {
      color: false,
      width: 200,
      replay: 'npx stalemate replay',
    });
    expect(story).toMatch(/fault 1 of 1: connections .+ between the target and the gate, for \d+ ms/);

    const stored = decodeCounterexample(encodeCounterexample(counterexample), 'memory');
    const again = await replay(stored, { times: 2, reportDir: folder });
    expect(again.reproduced.k).toBeGreaterThanOrEqual(1);

    for (const name of ['PATH', 'HOME', 'XDG_CACHE_HOME']) vi.stubEnv(name, folder);
    vi.stubEnv('TOXIPROXY_SERVER', '');
    const told = /its schedule disturbs connections .+ --toxiproxy PATH/;
    await expect(replay(stored, { times: 1 })).rejects.toThrow(told);
    const entry = corpusEntryOf(stored, { state: 'open', reason: '', since: '2026-11-22' });
    const { faults: _, ...undisturbed } = OPTIONS;
    const [kept] = await revisitConfigured([{ name: 'kept', entry }], resolveRun(undisturbed));
    expect(kept?.outcome).toBe('unclear');
    expect(kept?.detail).toMatch(told);
  });
});
