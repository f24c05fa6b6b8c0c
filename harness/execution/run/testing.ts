/**
 * Helpers for tests of whole runs: virtual time (installed by importing this), a minimal target, and a runner for it.
 *
 * The target reconciles widgets through the harness's own `Upstream`; the test supplies the reconcile function. Used by tests only.
 */
import { WIDGETS, WIDGETS_PATH } from 'stalemate-apiserver/testing';
import type { JsonObject, JsonValue, KubeObject } from 'stalemate-apiserver/objects/object';
import { call } from 'stalemate-apiserver/wire/call';
import type { ApiResponse, Method, Upstream } from 'stalemate-apiserver/wire/http';
import { installVirtualTime } from '../../determinism/virtual-time.ts';
import type { VirtualTime } from '../../determinism/virtual-time.ts';
import type { RunSettings } from '../../model/counterexample.ts';
import type { ObjectTarget, Program, ProgramOp, Workload } from '../../model/workload.ts';
import { assembleHost } from '../hosts/module-host.ts';
import { TrialRunner } from './runner.ts';
import type { Launch } from './host.ts';

export const time: VirtualTime = installVirtualTime();

export const SETTINGS: RunSettings = {
  seed: 1,
  stepsMax: 400,
  settleWindowMs: 10_000,
  settleStepsMax: 1_000,
  garbageCollection: true,
  namespaceController: true,
  replicasMax: 1,
};

export const WIDGET: ObjectTarget = {
  group: 'example.com',
  version: 'v1',
  resource: 'widgets',
  namespace: 'default',
  name: 'a',
};

export const SAMPLE: KubeObject = {
  apiVersion: 'example.com/v1',
  kind: 'Widget',
  metadata: { name: 'a', namespace: 'default' },
  spec: { size: 1, colour: 'red' },
};

export type Send = (method: Method, path: string, body?: JsonValue) => Promise<ApiResponse>;
/** The target's reaction to a widget that it has received. */
export type Reconcile = (widget: KubeObject, send: Send) => Promise<void>;

/** Sets the status to ready unless it already is. */
export const setReady: Reconcile = async (widget, send) => {
  if ((widget['status'] as JsonObject | undefined)?.['phase'] === 'ready') return;
  await setPhase(widget, 'ready', send);
};

/** Returns a reconcile function that always writes the status, and so triggers itself forever. */
export function restless(): Reconcile {
  let n = 0;
  return (widget, send) => setPhase(widget, `turn-${n++}`, send);
}

export async function setPhase(widget: KubeObject, phase: string, send: Send): Promise<void> {
  await send('PUT', `${WIDGETS_PATH}/${widget.metadata.name ?? ''}/status`, { ...widget, status: { phase } });
}

/** Creates one config map owned by the widget, then sets the status to ready. */
export const withChild: Reconcile = async (widget, send) => {
  const { name = '', uid = '' } = widget.metadata;
  const owner = { apiVersion: widget.apiVersion, kind: widget.kind, name, uid, controller: true };
  const path = '/api/v1/namespaces/default/configmaps';
  const child = `${name}-child`;
  if ((await send('GET', `${path}/${child}`)).code === 404) {
    const metadata = { name: child, ownerReferences: [owner] };
    await send('POST', path, { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { of: name } });
  }
  await setReady(widget, send);
};

/** Returns a launch of a target that lists and watches widgets and calls `reconcile` for each change, one after the other. */
export function thinTarget(reconcile: Reconcile, begin: (send: Send) => void = () => {}): Launch {
  return (actor, upstream, tell) => {
    time.runAs(actor, () => {
      const send = sender(upstream);
      begin(send);
      void follow(actor, upstream, send, reconcile);
    });
    tell('started', '');
    return { crash: () => time.dropOwner(actor) };
  };
}

export function sender(upstream: Upstream): Send {
  return (method, path, body) => {
    const [bare = '', search = ''] = path.split('?', 2);
    const query = Object.fromEntries(new URLSearchParams(search));
    const headers = { 'content-type': 'application/json' };
    return call(upstream, { method, path: bare, query, headers, ...(body === undefined ? {} : { body }) });
  };
}

async function follow(actor: string, upstream: Upstream, send: Send, reconcile: Reconcile): Promise<void> {
  const list = await send('GET', `${WIDGETS_PATH}?resourceVersion=0`).catch(() => undefined);
  if (list?.code !== 200) return follow(actor, upstream, send, reconcile);
  const { items, metadata } = list.body as { readonly items: readonly KubeObject[]; readonly metadata: JsonObject };
  let work = Promise.resolve();
  const enqueue = (widget: KubeObject): void => {
    // Only a broken connection throws here; the next event enqueues the widget again.
    work = work.then(() => reconcile(widget, send)).catch(() => {});
  };
  items.forEach(enqueue);
  const again = (): void => time.runAs(actor, () => void follow(actor, upstream, send, reconcile));
  const query = { watch: 'true', resourceVersion: metadata['resourceVersion'] as string };
  upstream.send(
    { method: 'GET', path: WIDGETS_PATH, query, headers: {} },
    {
      answer: again,
      open: () => {},
      // The gate calls this, but the work that it starts must run as the target.
      event: ({ type, object }) => {
        if (type === 'ADDED' || type === 'MODIFIED') time.runAs(actor, () => enqueue(object as KubeObject));
      },
      end: again,
    },
  );
}

/** Returns a runner for trials of the target that `launch` starts. */
export function runnerOf(launch: Launch, settings: Partial<RunSettings> = {}): TrialRunner {
  const resolved = { ...SETTINGS, ...settings };
  const host = assembleHost({
    time,
    launch,
    crds: [WIDGETS],
    namespace: 'default',
    settings: resolved,
    quietTurns: 2,
  });
  return new TrialRunner(host, resolved);
}

export function workload(programs: readonly Program[] = [], start: Workload['start'] = 'settled'): Workload {
  return { version: 1, start, sample: [SAMPLE], programs };
}

/** Returns an operation that sets a label of the sample. */
export function label(value: string): ProgramOp {
  return { do: 'set', target: WIDGET, path: ['metadata', 'labels', 'team'], value, via: 'update' };
}
