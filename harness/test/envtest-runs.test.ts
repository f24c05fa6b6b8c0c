/** Runs on etcd and kube-apiserver: the same findings by the same labels, and nothing left behind. Only where there are binaries. */
import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findProgram } from '../clusters/control-plane/binaries.ts';
import { replay, run, type StalemateOptions } from '../index.ts';

const installed = findProgram('etcd') !== undefined && findProgram('kube-apiserver') !== undefined;
const file = (path: string): string => fileURLToPath(new URL(`../../${path}`, import.meta.url));
const CRD = file('harness/test/targets/crd.yaml');
const SAMPLE = file('harness/test/targets/sample.yaml');
const CONTROLLER = [process.execPath, file('harness/test/targets/takes-finalizers.mjs')];
/** What the controller gets wrong, and little else. */
const OPTIONS: StalemateOptions = {
  command: CONTROLLER,
  crds: [CRD],
  samples: [SAMPLE],
  budget: 30,
  seed: 1,
  properties: ['no-lost-update'],
  stopAfter: 1,
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

describe.runIf(installed)('runs on a real control plane', { timeout: 240_000 }, () => {
  it('find what is wrong, and it comes back there and on the embedded server', async () => {
    const { findings } = await run({ ...OPTIONS, cluster: 'envtest', reportDir: folder }, { shrinkMs: 2_000 });

    const [found] = findings;
    expect(found?.violation.signature).toMatchObject({ property: 'no-lost-update' });
    if (found === undefined) return;
    const { counterexample, stats } = found;
    expect(stats.reproduced.k).toBeGreaterThanOrEqual(3);
    expect(counterexample.cluster).toBe('envtest');
    const embedded = await replay(counterexample, { times: 3, cluster: 'embedded' });
    expect(embedded.reproduced.k).toBeGreaterThanOrEqual(2);
    const real = await replay(counterexample, { times: 3 });
    expect(real.reproduced.k).toBeGreaterThanOrEqual(2);
    expect(real.missedAnchors).toEqual([]);
    expect(real.history.revisions.every(({ op, actor }) => op >= 0 === (actor !== 'environment'))).toBe(true);
  });

  it('show what was found in a module, which is then a program', async () => {
    const module = 'controllers-under-test/releases/refreshes-version-only/controller.ts';
    const options: StalemateOptions = {
      target: file(module),
      crds: [file('controllers-under-test/releases/crd.yaml')],
      samples: [file('controllers-under-test/releases/sample.yaml')],
      properties: ['no-lost-update'],
      budget: '60s',
      seed: 1,
      stopAfter: 1,
    };
    const { findings } = await run({ ...options, reportDir: folder }, { shrinkMs: 5_000 });

    const [found] = findings;
    expect(found).toBeDefined();
    if (found === undefined) return;
    const { reproduced } = await replay(found.counterexample, { times: 5, cluster: 'envtest' });
    expect(reproduced.k).toBeGreaterThanOrEqual(4);
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
    await until(() => programsIn(folder).includes('kube-apiserver'));
    expect(programsIn(folder)).toContain('etcd');

    harness.kill('SIGKILL');

    await until(() => programsIn(folder) === '');
  });
});

/** The command lines of this machine's processes that have `text` in them. */
function programsIn(text: string): string {
  const lines = execFileSync('ps', ['-A', '-o', 'pid=,args='], { encoding: 'utf8' }).split('\n');
  return lines.filter((line) => line.includes(text)).join('\n');
}

async function until(done: () => boolean): Promise<void> {
  while (!done()) await delay(50);
}
