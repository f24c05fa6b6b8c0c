/**
 * The server that the controllers of the language driver talk to: `stalemate serve`, a real control plane, or one that is there.
 *
 * Owns: starting and ending it, and a client that reads and writes plain objects. Does not own: what is done with it (`goal.ts`).
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  ApiException,
  KubeConfig,
  type KubernetesObject,
  KubernetesObjectApi,
  PatchStrategy,
} from '@kubernetes/client-node';
import { parse } from 'yaml';
import { startControlPlane } from '../../harness/clusters/control-plane/control-plane.ts';
import { start, until } from './processes.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const CRD = join(ROOT, 'controllers-under-test', 'buckets', 'crd.yaml');
const START_TIMEOUT_MS = 20_000;

/** An object as it goes over the wire. */
export interface PlainObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly uid?: string;
    readonly generation?: number;
    readonly finalizers?: readonly string[];
    readonly deletionTimestamp?: string;
  };
  readonly [key: string]: unknown;
}

export interface Objects {
  /** Undefined when it is not there. */
  read(object: PlainObject): Promise<PlainObject | undefined>;
  create(object: PlainObject): Promise<PlainObject>;
  merge(object: PlainObject): Promise<PlainObject>;
  /** Not found is fine. */
  remove(object: PlainObject): Promise<void>;
}

export interface Server {
  readonly kubeconfig: string;
  readonly objects: Objects;
  stop(): Promise<void>;
}

/** Starts or takes the server: `embedded`, `real`, or the path of a kubeconfig. */
export async function openServer(which: string, folder: string): Promise<Server> {
  if (which === 'embedded') {
    const kubeconfig = join(folder, 'kubeconfig-embedded.yaml');
    const bin = join(ROOT, 'harness', 'cli', 'bin.mjs');
    const args = [bin, 'serve', '--environment', 'gc', '--crds', CRD, '--write-kubeconfig', kubeconfig];
    const serving = start({ file: process.execPath, args }, join(folder, 'serve.log'));
    await until(
      '"stalemate serve" to listen',
      START_TIMEOUT_MS,
      () => serving.output().includes('serving on'),
      serving,
    );
    return { kubeconfig, objects: objectsOf(kubeconfig), stop: () => serving.stop() };
  }
  if (which === 'real') {
    const plane = await startControlPlane({ controllerManager: true });
    const kubeconfig = join(folder, 'kubeconfig-real.yaml');
    writeFileSync(kubeconfig, plane.kubeconfig, { mode: 0o600 });
    const objects = objectsOf(kubeconfig);
    await installCrd(objects);
    return { kubeconfig, objects, stop: () => plane.stop() };
  }
  const objects = objectsOf(which);
  await installCrd(objects);
  return { kubeconfig: which, objects, stop: () => Promise.resolve() };
}

async function installCrd(objects: Objects): Promise<void> {
  const crd = parse(readFileSync(CRD, 'utf8')) as PlainObject;
  if ((await objects.read(crd)) === undefined) await objects.create(crd);
  await until('the definition of buckets to be established', START_TIMEOUT_MS, async () => {
    const status = (await objects.read(crd))?.['status'] as { conditions?: { type: string; status: string }[] };
    return status?.conditions?.some(({ type, status: value }) => type === 'Established' && value === 'True') ?? false;
  });
}

function objectsOf(kubeconfig: string): Objects {
  const config = new KubeConfig();
  config.loadFromFile(kubeconfig);
  const api = KubernetesObjectApi.makeApiClient(config);
  const plain = (answer: unknown): PlainObject => answer as PlainObject;
  return {
    read: async (object) => orUndefined(api.read(headOf(object)).then(plain)),
    create: async (object) => plain(await api.create(typed(object))),
    merge: async (object) =>
      plain(await api.patch(typed(object), undefined, undefined, undefined, undefined, PatchStrategy.MergePatch)),
    remove: async (object) => {
      await orUndefined(api.delete(headOf(object)));
    },
  };
}

/** client-node's types have Dates where the wire has texts; nothing here sends one. */
function typed(object: PlainObject): KubernetesObject {
  return object as unknown as KubernetesObject;
}

function headOf({ apiVersion, kind, metadata: { name, namespace } }: PlainObject): {
  apiVersion: string;
  kind: string;
  metadata: { name: string; namespace: string };
} {
  return { apiVersion, kind, metadata: { name, namespace: namespace ?? '' } };
}

async function orUndefined<T>(promise: Promise<T>): Promise<T | undefined> {
  try {
    return await promise;
  } catch (error) {
    if (error instanceof ApiException && error.code === 404) return undefined;
    throw error;
  }
}
