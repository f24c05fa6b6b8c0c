/**
 * The server for the controllers of the language driver: `stalemate serve`, a real control plane, or an existing one.
 *
 * Owns: starting and stopping it, and a client that reads and writes plain objects. Does not own: what is done with it (`goal.ts`).
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { request, type RequestOptions } from 'node:https';
import { join } from 'node:path';
import { KubeConfig } from '@kubernetes/client-node';
import { parse } from 'yaml';
import { startControlPlane } from '../../harness/clusters/control-plane.ts';
import { openStandingGate } from './gate.ts';
import { lastLines, start, StepFailed, until } from './processes.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const CRD = join(ROOT, 'controllers-under-test', 'buckets', 'crd.yaml');
const START_TIMEOUT_MS = 20_000;
/** The controllers that also run with the embedded server: only the clients act on workloads. */
const CONTROLLERS = 'garbage-collector-controller,namespace-controller,serviceaccount-controller';

/** An object in its wire format. */
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
  /** Undefined if it does not exist. */
  read(object: PlainObject): Promise<PlainObject | undefined>;
  create(object: PlainObject): Promise<PlainObject>;
  /** The document that is served at a path. */
  document(path: string): Promise<{ readonly [key: string]: unknown } | undefined>;
  merge(object: PlainObject): Promise<PlainObject>;
  /** Succeeds if it does not exist. */
  remove(object: PlainObject): Promise<void>;
}

export interface Server {
  readonly kubeconfig: string;
  readonly objects: Objects;
  stop(): Promise<void>;
}

/**
 * Starts or uses a server: `embedded`, `real`, or the path of a kubeconfig. A bare one has no CRDs and no controllers; the others have the
 * Bucket CRD and a garbage collector.
 *
 * @param gate - Puts the gate in front of it for the clients; this driver connects directly.
 */
export async function openServer(which: string, folder: string, bare = false, gate = false): Promise<Server> {
  const server = await openDirectly(which, folder, bare);
  if (!gate) return server;
  const kubeconfig = join(folder, 'kubeconfig-gate.yaml');
  const standing = await openStandingGate(server.kubeconfig, kubeconfig);
  return {
    kubeconfig,
    objects: server.objects,
    stop: async () => {
      const { requests, events } = standing.passed();
      console.log(`${requests} requests and ${events} watch events passed the gate`);
      await standing.close();
      await server.stop();
    },
  };
}

async function openDirectly(which: string, folder: string, bare: boolean): Promise<Server> {
  if (which === 'embedded') {
    const kubeconfig = join(folder, 'kubeconfig-embedded.yaml');
    const bin = join(ROOT, 'harness', 'cli', 'bin.mjs');
    const around = bare ? ['--controllers', 'none'] : ['--controllers', 'gc', '--crds', CRD];
    const args = [bin, 'serve', ...around, '--write-kubeconfig', kubeconfig];
    const serving = start({ file: process.execPath, args }, join(folder, 'serve.log'));
    const listens = (): boolean => serving.output().includes('serving on') || serving.ended() !== undefined;
    await until('"stalemate serve" to listen', START_TIMEOUT_MS, listens);
    if (serving.ended() !== undefined)
      throw new StepFailed(`"stalemate serve" ${serving.ended()}:\n${lastLines(serving.output())}`);
    return { kubeconfig, objects: objectsOf(kubeconfig), stop: () => serving.stop() };
  }
  if (which === 'real') {
    const plane = await startControlPlane({ controllerManager: !bare, managerArgs: [`--controllers=${CONTROLLERS}`] });
    const kubeconfig = join(folder, 'kubeconfig-real.yaml');
    writeFileSync(kubeconfig, plane.kubeconfig, { mode: 0o600 });
    const objects = objectsOf(kubeconfig);
    if (!bare) await installCrd(objects);
    return { kubeconfig, objects, stop: () => plane.stop() };
  }
  const objects = objectsOf(which);
  if (!bare) await installCrd(objects);
  return { kubeconfig: which, objects, stop: () => Promise.resolve() };
}

async function installCrd(objects: Objects): Promise<void> {
  const crd = parse(readFileSync(CRD, 'utf8')) as PlainObject;
  if ((await objects.read(crd)) === undefined) await objects.create(crd);
  await until('the Bucket CRD to be established', START_TIMEOUT_MS, async () => {
    const status = (await objects.read(crd))?.['status'] as { conditions?: { type: string; status: string }[] };
    return status?.conditions?.some(({ type, status: value }) => type === 'Established' && value === 'True') ?? false;
  });
  // The schema, which `kubectl explain` needs, is published a moment after the CRD is established.
  await until('the Bucket schema to be published', START_TIMEOUT_MS, async () => {
    const paths = (await objects.document('/openapi/v3'))?.['paths'];
    return Object.hasOwn(paths ?? {}, 'apis/storage.example.com/v1');
  });
}

/** The collection path of each kind that is used here. */
const COLLECTIONS: { readonly [kind: string]: string } = {
  Bucket: '/apis/storage.example.com/v1/namespaces/default/buckets',
  ConfigMap: '/api/v1/namespaces/default/configmaps',
  CustomResourceDefinition: '/apis/apiextensions.k8s.io/v1/customresourcedefinitions',
  Deployment: '/apis/apps/v1/namespaces/default/deployments',
  Lease: '/apis/coordination.k8s.io/v1/namespaces/default/leases',
  Pod: '/api/v1/namespaces/default/pods',
  Secret: '/api/v1/namespaces/default/secrets',
};

/** Plain JSON over HTTPS: client-node's typed models would drop unknown fields, such as defaults in a CRD. */
function objectsOf(kubeconfig: string): Objects {
  const config = new KubeConfig();
  config.loadFromFile(kubeconfig);
  const server = config.getCurrentCluster()?.server ?? '';
  const collection = ({ kind }: PlainObject): string => COLLECTIONS[kind] ?? '';
  const one = (object: PlainObject): string => `${collection(object)}/${object.metadata.name}`;

  async function send(method: string, path: string, body?: PlainObject): Promise<PlainObject | undefined> {
    const options: RequestOptions = {
      method,
      headers: { 'content-type': method === 'PATCH' ? 'application/merge-patch+json' : 'application/json' },
    };
    await config.applyToHTTPSOptions(options);
    const { code, text } = await exchange(
      server + path,
      options,
      body === undefined ? undefined : JSON.stringify(body),
    );
    if (code === 404) return undefined;
    if (code >= 300) throw new Error(`${method} ${path} was answered ${code}: ${text}`);
    return JSON.parse(text) as PlainObject;
  }

  async function there(answer: Promise<PlainObject | undefined>, object: PlainObject): Promise<PlainObject> {
    const found = await answer;
    if (found === undefined) throw new Error(`${collection(object)} is not served`);
    return found;
  }

  return {
    read: (object) => send('GET', one(object)),
    document: (path) => send('GET', path),
    create: (object) => there(send('POST', collection(object), object), object),
    merge: (object) => there(send('PATCH', one(object), object), object),
    remove: async (object) => {
      await send('DELETE', one(object));
    },
  };
}

function exchange(
  url: string,
  options: RequestOptions,
  body: string | undefined,
): Promise<{ code: number; text: string }> {
  return new Promise((resolve, reject) => {
    const sent = request(url, options, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (part: string) => (text += part));
      response.on('end', () => resolve({ code: response.statusCode ?? 0, text }));
      response.on('error', reject);
    });
    sent.on('error', reject);
    sent.end(body);
  });
}
