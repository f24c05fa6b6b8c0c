/** Runs on etcd and kube-apiserver: the same findings with the same labels, and nothing left behind. Needs the binaries of both. */
import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findProgram } from 'stalemate-apiserver/control-plane/binaries';
import { stalemate } from '../cli/test-bin.ts';
import { baseBuild, judgeOnBase, replayLike } from '../cli/base-build.ts';
import { replay, resolveRun, revisitConfigured, runConfigured } from '../cli/library.ts';
import type { StalemateOptions } from '../index.ts';
import { corpusEntryOf } from '../model/corpus.ts';
import type { Counterexample } from '../model/counterexample.ts';
import type { Summary } from '../report/summary.ts';
import { decodeCounterexample } from '../schedule/codec/counterexample.ts';
import { processesNaming } from './processes.ts';

const installed = findProgram('etcd') !== undefined && findProgram('kube-apiserver') !== undefined;
const file = (path: string): string => fileURLToPath(new URL(`../../${path}`, import.meta.url));
const CRD = file('harness/test/targets/crd.yaml');
const SAMPLE = file('harness/test/targets/sample.yaml');
const CONTROLLER = [process.execPath, file('harness/test/targets/takes-finalizers.mjs')];
/** Only the property that the controller violates, and only the writers and faults that are needed for that. */
const OPTIONS: StalemateOptions = {
  command: CONTROLLER,
  crds: [CRD],
  samples: [SAMPLE],
  budget: 30,
  seed: 1,
  properties: ['no-lost-update'],
  stopAfter: 1,
  // One run at a time: starting several control planes takes longer than the few runs of this test.
  network: 'host',
  writers: { 'spec-churn': false, 'status-writer': false, 'scale-writer': false, recreator: false },
  faults: { fail: false, refuse: false, 'lose-response': false, crash: false, 'stale-list': false },
};

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'stalemate-envtest-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

describe.runIf(installed)('runs on a real control plane', { timeout: 480_000 }, () => {
  it('find what is wrong; it comes back on the build before, when it is kept, and on the embedded server', async () => {
    const config = resolveRun({ ...OPTIONS, cluster: 'envtest', reportDir: folder }, { cwd: folder });
    const { findings } = await runConfigured(config, { shrinkMs: 2_000 });

    const [found] = findings;
    expect(found?.violation.signature).toMatchObject({ property: 'no-lost-update' });
    if (found === undefined) return;
    const { counterexample, record, stats } = found;
    // The number of runs that reproduce it depends on the time, two seconds here.
    const { k, n } = stats.reproduced;
    expect(k / n).toBeGreaterThan(0.5);
    expect(counterexample.cluster).toBe('envtest');
    expect(record.revisions.every(({ op, actor }) => op >= 0 === (actor !== 'environment'))).toBe(true);
    const embedded = await replay(counterexample, { times: 3, cluster: 'embedded' });
    expect(embedded.reproduced.k).toBeGreaterThanOrEqual(2);

    const same = baseBuild({ baseCommand: process.execPath }, config, folder) ?? ((target) => target);
    const said: string[] = [];
    await judgeOnBase(findings, same, { ...replayLike(config), print: (text) => said.push(text) });
    expect(said.join('')).toMatch(/is pre-existing: it fails there too, in [2-5] of 5/);

    const entry = corpusEntryOf(counterexample, { state: 'fixed', reason: '', since: '2026-11-22' });
    const [kept] = await revisitConfigured([{ name: 'kept', entry }], config);
    expect(kept).toMatchObject({ outcome: 'fails', missed: [] });
  });

  it('confirm what was found in a module, and leave the rest of the file as the seed made it', () => {
    const releases = (name: string): string => file(`controllers-under-test/releases/${name}`);
    const what = ['--crds', releases('crd.yaml'), '--sample', releases('sample.yaml')];
    const target = ['--target', releases('refreshes-version-only/controller.ts')];
    const search = ['--property', 'no-lost-update', '--budget', '100', '--seed', '1', '--stop-after', '1', '--json'];
    const args = ['run', ...what, ...target, ...search, '--confirm'];

    const alone = stalemate([...args, 'none', '--report-dir', 'alone'], { cwd: folder });
    const asked = stalemate([...args, 'envtest', '--report-dir', 'asked'], { cwd: folder });

    expect(alone.code).toBe(1);
    expect(asked.code).toBe(1);
    const [finding] = (JSON.parse(asked.stdout) as Summary).findings;
    // The reason, if it was not confirmed.
    expect(`${asked.stdout}${asked.stderr}`).not.toContain('embedded only:');
    expect(finding?.confirmed).toMatchObject({ cluster: 'envtest', reproduced: { n: 5 } });
    expect(finding?.confirmed?.reproduced.k).toBeGreaterThanOrEqual(4);
    expect(finding?.confirmed?.server).toMatch(/^kube-apiserver 1\./);
    const stored = (reports: string): Counterexample => {
      const [name = ''] = readdirSync(join(folder, reports, 'failures'));
      return decodeCounterexample(readFileSync(join(folder, reports, 'failures', name), 'utf8'), name);
    };
    const { confirmed, ...rest } = stored('asked');
    expect(confirmed).toEqual(finding?.confirmed);
    expect(rest).toEqual(stored('alone'));
  });

  it('leave no program behind when the harness is killed', async () => {
    const args = [
      'run',
      '--cluster',
      'envtest',
      '--crds',
      CRD,
      '--sample',
      SAMPLE,
      '--report-dir',
      folder,
      '--',
      ...CONTROLLER,
    ];
    const env = { ...process.env, TMPDIR: folder };
    const harness = spawn(process.execPath, [file('harness/cli/bin.mjs'), ...args], {
      cwd: folder,
      env,
      stdio: 'ignore',
    });
    await until(() => processesNaming(folder).includes('kube-apiserver'));
    expect(processesNaming(folder)).toContain('etcd');

    harness.kill('SIGKILL');

    await until(() => processesNaming(folder) === '');
  });
});

async function until(done: () => boolean): Promise<void> {
  while (!done()) await delay(50);
}
