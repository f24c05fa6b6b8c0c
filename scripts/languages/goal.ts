/**
 * What every Bucket controller must do, in any language: steps with two buckets, each of which waits for a condition.
 *
 * One bucket exists before the controller starts, one is created later; a spec changes, an owned object is deleted by hand, the buckets are
 * deleted. Owns: the steps and the goal state. Does not own: how a controller is built (`controllers.ts`).
 */
import { isDeepStrictEqual } from 'node:util';
import { type Running, until } from './processes.ts';
import type { Objects, PlainObject } from './server.ts';

/** Milliseconds until each goal is reached. */
export interface Times {
  /** From the start of the process until the existing bucket is ready. */
  readonly start: number;
  readonly create: number;
  readonly change: number;
  readonly restore: number;
  readonly delete: number;
}

/** Enough for a JVM on a busy machine, and for acquiring a lease. */
const STEP_TIMEOUT_MS = 60_000;
const FINALIZER = 'storage.example.com/cleanup';

const EARLY = bucket('early', 2);
const LATE = bucket('late', 4);

function bucket(name: string, sizeGiB: number): PlainObject {
  return {
    apiVersion: 'storage.example.com/v1',
    kind: 'Bucket',
    metadata: { name, namespace: 'default' },
    spec: { sizeGiB },
  };
}

function child(kind: 'ConfigMap' | 'Secret', { metadata: { name } }: PlainObject): PlainObject {
  const suffix = kind === 'ConfigMap' ? 'settings' : 'credentials';
  return { apiVersion: 'v1', kind, metadata: { name: `${name}-${suffix}`, namespace: 'default' } };
}

/** Removes objects of earlier runs from a server that is used again. */
export async function clear(objects: Objects): Promise<void> {
  for (const one of [EARLY, LATE]) {
    if ((await objects.read(one)) !== undefined) {
      await objects.merge({ ...one, metadata: { ...one.metadata, finalizers: [] } });
      await objects.remove(one);
    }
    await objects.remove(child('ConfigMap', one));
    await objects.remove(child('Secret', one));
  }
}

/** Runs the steps. @throws {StepFailed} with the condition that did not become true. */
export async function reachGoal(objects: Objects, begin: () => Running): Promise<Times> {
  await objects.create(EARLY);
  const controller = begin();
  const wait = (what: string, holds: () => Promise<boolean>): Promise<number> =>
    until(what, STEP_TIMEOUT_MS, holds, controller);
  try {
    const started = await wait('the existing bucket to be ready', () => ready(objects, EARLY, 2));
    await objects.create(LATE);
    const created = await wait('a new bucket to be ready', () => ready(objects, LATE, 4));
    await objects.merge({ ...EARLY, spec: { sizeGiB: 3 } });
    const changed = await wait('a changed bucket to be ready', () => ready(objects, EARLY, 3));
    await objects.remove(child('ConfigMap', LATE));
    const restored = await wait('deleted settings to be created again', () => ready(objects, LATE, 4));
    for (const one of [EARLY, LATE]) await objects.remove(one);
    const deleted = await wait('the deleted buckets and their children to be gone', () => gone(objects));
    return { start: started, create: created, change: changed, restore: restored, delete: deleted };
  } finally {
    await controller.stop();
  }
}

async function ready(objects: Objects, wanted: PlainObject, sizeGiB: number): Promise<boolean> {
  const live = await objects.read(wanted);
  const status = live?.['status'] as
    | {
        observedGeneration?: number;
        endpoint?: string;
        conditions?: { type: string; status: string; message: string }[];
      }
    | undefined;
  const condition = status?.conditions?.find(({ type }) => type === 'Ready');
  if (
    live?.metadata.finalizers?.includes(FINALIZER) !== true ||
    status?.observedGeneration !== live.metadata.generation ||
    status?.endpoint !== `https://${wanted.metadata.name}.north.storage.example.com` ||
    condition?.status !== 'True' ||
    condition.message !== `${sizeGiB} GiB in north`
  )
    return false;
  const settings = await objects.read(child('ConfigMap', wanted));
  const credentials = await objects.read(child('Secret', wanted));
  const user = Buffer.from(`bucket-${wanted.metadata.name}`).toString('base64');
  return (
    isDeepStrictEqual(settings?.['data'], { sizeGiB: String(sizeGiB), region: 'north' }) &&
    isDeepStrictEqual(credentials?.['data'], { user })
  );
}

async function gone(objects: Objects): Promise<boolean> {
  for (const one of [EARLY, LATE]) {
    for (const object of [one, child('ConfigMap', one), child('Secret', one)]) {
      if ((await objects.read(object)) !== undefined) return false;
    }
  }
  return true;
}
