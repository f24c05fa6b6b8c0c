/** Connections between the gate and a real API server that break during the target's requests. Needs the control plane's binaries. */
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { findProgram, findToxiproxy } from 'stalemate-apiserver/control-plane/binaries';
import { loadCrds, loadSamples } from '../execution/project/manifests.ts';
import { createProcessHost } from '../execution/hosts/process-host.ts';
import { resolveCommand } from '../execution/config/process-target.ts';
import { TrialRunner } from '../execution/run/runner.ts';
import type { ConnectionTrouble } from '../model/connection-fault.ts';
import { EMPTY_SCHEDULE } from '../model/schedule.ts';
import { checkLegality } from '../oracle/assumptions.ts';

const toxiproxy = findToxiproxy() ?? null;
const installed =
  toxiproxy !== null && findProgram('etcd') !== undefined && findProgram('kube-apiserver') !== undefined;
const file = (path: string): string => fileURLToPath(new URL(`../../controllers-under-test/${path}`, import.meta.url));

describe.runIf(installed)('connections between the gate and a real API server', { timeout: 120_000 }, () => {
  it('break for the target alone, which comes back and does what is due', async () => {
    const crds = loadCrds([file('buckets/crd.yaml')]);
    const samples = loadSamples([file('buckets/sample.yaml')], crds, new Set());
    const command = [process.execPath, file('languages/typescript/main.ts')];
    const target = resolveCommand({ command, directory: file('buckets'), env: {} });
    const settings = {
      ...({ seed: 1, stepsMax: 400, settleWindowMs: 500, settleStepsMax: 800, replicasMax: 1 } as const),
      ...{ garbageCollection: true, namespaceController: true },
    };
    const subject = {
      ...({ target: '', process: target, transport: 'http-library', cluster: 'envtest', toxiproxy } as const),
      ...{ crds, samples, project: null, namespace: 'default', settings, properties: [] },
      ...{ configFile: null, reportDir: null },
    };
    const host = await createProcessHost(subject, target, () => {});
    const runner = new TrialRunner(host, settings);
    const object = {
      group: 'storage.example.com',
      version: 'v1',
      resource: 'buckets',
      namespace: 'default',
      name: 'media',
    };
    const change = { do: 'set', target: object, path: ['spec', 'sizeGiB'], value: 3, via: 'merge-patch' } as const;
    const at = 'writer-1/patch/buckets.storage.example.com/default/media#0!sent';
    const runOf = (trouble: ConnectionTrouble): ReturnType<TrialRunner['run']> =>
      runner.run({
        workload: {
          version: 1,
          start: 'settled',
          sample: samples,
          programs: [{ actor: 'writer-1', writer: 'test', ops: [change] }],
        },
        schedule: { ...EMPTY_SCHEDULE, faults: [{ ...trouble, link: 'cluster', forMs: 600, at }] },
      });

    for (const trouble of [{ do: 'down' }, { do: 'black-hole' }, { do: 'reset' }] as const) {
      const history = await runOf(trouble);

      const began = history.decisions.find(({ kind }) => kind === 'fault')?.at ?? Number.POSITIVE_INFINITY;
      expect(history.missed).toEqual([]);
      expect(checkLegality(history)).toEqual([]);
      expect(history.settlement.result).toBe('quiescent');
      expect(history.streamEnds.some((end) => end.at > began && end.why === 'server')).toBe(true);
      expect(history.operations.find(({ actor }) => actor === 'writer-1')?.outcome).toMatchObject({ type: 'ok' });
      expect(history.revisions.some(({ actor, at: tick }) => actor === 'controller' && tick > began)).toBe(true);
    }

    const slow = await runOf({ do: 'latency', latencyMs: 100, jitterMs: 0 });

    expect(slow.streamEnds.filter(({ why }) => why === 'server')).toEqual([]);
    expect(slow.settlement.result).toBe('quiescent');
  });
});
