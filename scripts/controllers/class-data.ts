/**
 * Class data sharing for the Java controllers: an archive of the classes that they load, which reduces the CPU time of a start to a third.
 *
 * The JVM writes it at the end of a run that has to exercise the whole controller: it runs against the embedded server, creates what the
 * sample asks for, and cleans up. Start at {@link archiveClasses}.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { KubeConfig, KubernetesObjectApi, type KubernetesObject } from '@kubernetes/client-node';
import { parse } from 'yaml';
import { start, until, type Running } from '../languages/processes.ts';
import type { BuildPlace } from './build-place.ts';

const BIN = join(import.meta.dirname, '..', '..', 'harness', 'cli', 'bin.mjs');
/** Long, because there is no shared archive yet and the machine may be busy. */
const STEP_TIMEOUT_MS = 120_000;

interface Reported extends KubernetesObject {
  readonly status?: { readonly conditions?: readonly { readonly status: string }[] };
}

/**
 * Runs the launcher in `out` with a `CLASS_DATA` that makes the JVM write `LAUNCHER.jsa` there.
 *
 * @throws {StepFailed} if the controller does not reconcile the sample.
 */
export async function archiveClasses({ sources, out, scratch }: BuildPlace, launcher: string): Promise<void> {
  const kubeconfig = join(scratch, 'kubeconfig.yaml');
  const args = [BIN, 'serve', '--crds', join(sources, 'crd.yaml'), '--write-kubeconfig', kubeconfig];
  const serving = start({ file: process.execPath, args }, join(scratch, 'serve.log'));
  let controller: Running | undefined;
  try {
    await until('"stalemate serve" to listen', STEP_TIMEOUT_MS, () => serving.output().includes('serving on'), serving);
    const config = new KubeConfig();
    config.loadFromFile(kubeconfig);
    const api = KubernetesObjectApi.makeApiClient(config);
    const sample = parse(readFileSync(join(sources, 'sample.yaml'), 'utf8')) as KubernetesObject;
    await api.create(sample);
    const env = { KUBECONFIG: kubeconfig, CLASS_DATA: `-XX:ArchiveClassesAtExit=${join(out, `${launcher}.jsa`)}` };
    controller = start({ file: join(out, launcher), args: ['correct'], env }, join(scratch, 'run.log'));
    const found = async (): Promise<Reported | undefined> => {
      const { items } = await api.list<Reported>(
        sample.apiVersion ?? '',
        sample.kind ?? '',
        sample.metadata?.namespace,
      );
      return items[0];
    };
    const ready = async (): Promise<boolean> => (await found())?.status?.conditions?.[0]?.status === 'True';
    await until('the sample to be ready', STEP_TIMEOUT_MS, ready, controller);
    await api.delete(sample);
    await until('the sample to go', STEP_TIMEOUT_MS, async () => (await found()) === undefined, controller);
    const running = controller;
    process.kill(running.pid, 'SIGTERM');
    await until('the controller to end', STEP_TIMEOUT_MS, () => running.ended() !== undefined);
  } finally {
    await controller?.stop();
    await serving.stop();
  }
}
