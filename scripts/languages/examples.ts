/**
 * The example programs of client-go, unchanged, built from the module that controllers-under-test/languages/go pins.
 *
 * Owns: how each is run, and its expected behaviour. Start at {@link EXAMPLES}.
 */
import { join } from 'node:path';
import { buildFolder, goBuild } from './controllers.ts';
import { start, StepFailed, until } from './processes.ts';
import type { PlainObject, Server } from './server.ts';

const PACKAGES = ['leader-election', 'workqueue', 'dynamic-create-update-delete-deployment'].map(
  (name) => `k8s.io/client-go/examples/${name}`,
);
const TIMEOUT_MS = 60_000;

const LOCK: PlainObject = {
  apiVersion: 'coordination.k8s.io/v1',
  kind: 'Lease',
  metadata: { name: 'example-lock', namespace: 'default' },
};

const POD: PlainObject = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'example-pod', namespace: 'default' },
  spec: { containers: [{ name: 'main', image: 'registry.example.com/main:v1' }] },
};

const DEPLOYMENT: PlainObject = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'demo-deployment', namespace: 'default' },
};

/** Each resolves once the example has shown its expected behaviour. */
export const EXAMPLES: { readonly [name: string]: (server: Server, folder: string) => Promise<void> } = {
  'examples build': (_, folder) => goBuild(binaries(), PACKAGES.join(' '), join(folder, 'examples-build.log')),
  'example leader-election': leaderElection,
  'example workqueue': workqueue,
  'example dynamic client': dynamicClient,
};

function binaries(): string {
  return buildFolder('client-go-examples');
}

/** The second candidate takes over when the first one steps down. */
async function leaderElection({ kubeconfig, objects }: Server, folder: string): Promise<void> {
  await objects.remove(LOCK);
  const { name, namespace = '' } = LOCK.metadata;
  const candidate = (id: string): ReturnType<typeof start> => {
    const args = [
      `--lease-lock-name=${name}`,
      `--lease-lock-namespace=${namespace}`,
      `--id=${id}`,
      `--kubeconfig=${kubeconfig}`,
    ];
    return start({ file: join(binaries(), 'leader-election'), args }, join(folder, `leader-${id}.log`));
  };
  const holder = async (): Promise<unknown> =>
    ((await objects.read(LOCK))?.['spec'] as { holderIdentity?: string } | undefined)?.holderIdentity;
  const first = candidate('first');
  try {
    await until('the first candidate to lead', TIMEOUT_MS, async () => (await holder()) === 'first', first);
    const second = candidate('second');
    try {
      const heard = (): boolean => second.output().includes('new leader elected: first');
      await until('the second candidate to observe the first', TIMEOUT_MS, heard, second);
      await first.stop();
      await until('the second candidate to lead', TIMEOUT_MS, async () => (await holder()) === 'second', second);
      await until('its loop to start', TIMEOUT_MS, () => second.output().includes('Controller loop'), second);
    } finally {
      await second.stop();
    }
  } finally {
    await first.stop();
    await objects.remove(LOCK);
  }
}

/** It observes the creation and the deletion of a pod. */
async function workqueue({ kubeconfig, objects }: Server, folder: string): Promise<void> {
  await objects.remove(POD);
  const args = [`--kubeconfig=${kubeconfig}`];
  const running = start({ file: join(binaries(), 'workqueue'), args }, join(folder, 'workqueue.log'));
  const says = (text: string): Promise<number> =>
    until(`"${text}"`, TIMEOUT_MS, () => running.output().includes(text), running);
  try {
    await says('Pod default/mypod does not exist anymore');
    await objects.create(POD);
    await says('Sync/Add/Update for Pod example-pod');
    await objects.remove(POD);
    await says('Pod default/example-pod does not exist anymore');
  } finally {
    await running.stop();
  }
}

/** It creates, updates and deletes a Deployment, and waits for Return three times. */
async function dynamicClient({ kubeconfig, objects }: Server, folder: string): Promise<void> {
  await objects.remove(DEPLOYMENT);
  const log = join(folder, 'dynamic-client.log');
  const file = join(binaries(), 'dynamic-create-update-delete-deployment');
  const running = start({ file, args: [`--kubeconfig=${kubeconfig}`] }, log, '\n\n\n');
  try {
    await until('the example to end', TIMEOUT_MS, () => running.ended() !== undefined);
  } finally {
    await running.stop();
  }
  if (running.ended() !== 'ended with exit code 0')
    throw new StepFailed(`the example ${running.ended()}:\n${running.output()}`);
  const missing = ['Created deployment "demo-deployment"', 'Updated deployment', 'Deleted deployment'].find(
    (text) => !running.output().includes(text),
  );
  if (missing !== undefined) throw new StepFailed(`the example did not print ${missing}:\n${running.output()}`);
}
