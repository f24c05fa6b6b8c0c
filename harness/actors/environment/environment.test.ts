import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  CONFIGMAPS_PATH,
  configMap,
  MERGE,
  testServer,
  widget,
  WIDGETS_PATH,
  type TestServer,
} from 'stalemate-apiserver/testing';
import type { JsonObject, KubeObject } from 'stalemate-apiserver/objects/object';
import type { ApiRequest, ApiResponse, Upstream } from 'stalemate-apiserver/wire/http';
import { failure } from 'stalemate-apiserver/wire/status';
import { createEnvironment } from './index.ts';

interface Cluster extends TestServer {
  /** The requests of the controllers, each with its status code. */
  readonly sent: string[];
  /** Answers a request in place of the server, unless it returns undefined. */
  interfere: (request: ApiRequest) => ApiResponse | 'reset' | undefined;
}

function cluster(): Cluster {
  const made = testServer();
  const sent: string[] = [];
  const world: Cluster = { ...made, sent, interfere: () => undefined };
  const upstream: Upstream = {
    send: (request, sink) => {
      const line = `${request.method} ${request.path.replace(/^\/apis?\/(example.com\/)?v1\/(namespaces\/default\/)?/, '')}`;
      const instead = world.interfere(request);
      if (instead === 'reset') {
        sink.end({ code: 'ECONNRESET', message: 'socket hang up' });
        return () => {};
      }
      const answer = (given: ApiResponse): void => {
        sent.push(`${line} ${given.code}`);
        sink.answer(given);
      };
      if (instead === undefined) return made.server.send(request, { ...sink, answer });
      answer(instead);
      return () => {};
    },
  };
  const settings = { garbageCollection: true, namespaceController: true };
  const controllers = createEnvironment(settings, () => upstream, made.server);
  made.server.observe((change) => {
    for (const controller of controllers) controller.onChange(change);
  });
  return world;
}

/** Waits until all pending promise chains have settled. */
function atRest(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

function owner(object: KubeObject, more: JsonObject = {}): JsonObject {
  const { name = '', uid = '' } = object.metadata;
  return { apiVersion: object.apiVersion, kind: object.kind, name, uid, ...more };
}

function names({ server }: Cluster, resource: string): readonly (string | undefined)[] {
  return server.objects(resource).map((object) => object.metadata.name);
}

function make(world: Cluster, name: string, owners: readonly JsonObject[] = [], metadata: JsonObject = {}): KubeObject {
  const meta = { ...metadata, ...(owners.length === 0 ? {} : { ownerReferences: owners }) };
  const answer = world.request('POST', CONFIGMAPS_PATH, configMap(name, {}, meta));
  expect(answer.code).toBe(201);
  return answer.object;
}

describe('the garbage collector', () => {
  test('sends nothing as long as nothing is deleted', async () => {
    const world = cluster();
    const parent = make(world, 'parent');
    make(world, 'child', [owner(parent)]);
    await atRest();

    expect(world.sent).toEqual([]);
  });

  test('deletes dependents, and theirs, once the owner is gone', async () => {
    const world = cluster();
    const parent = make(world, 'parent');
    const child = make(world, 'child', [owner(parent)]);
    make(world, 'grandchild', [owner(child)]);
    make(world, 'stranger');

    world.request('DELETE', `${CONFIGMAPS_PATH}/parent`);
    await atRest();

    expect(names(world, 'configmaps')).toEqual(['stranger']);
    expect(world.sent).toEqual(['DELETE configmaps/child 200', 'DELETE configmaps/grandchild 200']);
  });

  test('keeps a dependent as long as one owner lives, and drops the reference to the other', async () => {
    const world = cluster();
    const one = make(world, 'one');
    const two = make(world, 'two');
    make(world, 'child', [owner(one), owner(two)]);

    world.request('DELETE', `${CONFIGMAPS_PATH}/one`);
    await atRest();

    expect(world.request('GET', `${CONFIGMAPS_PATH}/child`).object.metadata.ownerReferences).toEqual([owner(two)]);

    world.request('DELETE', `${CONFIGMAPS_PATH}/two`);
    await atRest();

    expect(names(world, 'configmaps')).toEqual([]);
  });

  test('leaves an object without a namespace alone that names an owner with one', async () => {
    const world = cluster();
    const parent = make(world, 'parent');
    const path = '/api/v1/namespaces';
    const metadata = { name: 'shared', ownerReferences: [owner(parent)] };
    world.request('POST', path, { apiVersion: 'v1', kind: 'Namespace', metadata });
    world.request('DELETE', `${CONFIGMAPS_PATH}/parent`);
    await atRest();

    expect(names(world, 'namespaces')).toContain('shared');
  });

  test('takes a recreated owner of the same name for another one', async () => {
    const world = cluster();
    const parent = make(world, 'parent');
    make(world, 'child', [owner(parent)]);

    world.request('DELETE', `${CONFIGMAPS_PATH}/parent`);
    make(world, 'parent');
    await atRest();

    expect(names(world, 'configmaps')).toEqual(['parent']);
  });

  test('collects what is created for an owner that is gone already', async () => {
    const world = cluster();
    const parent = make(world, 'parent');
    world.request('DELETE', `${CONFIGMAPS_PATH}/parent`);

    make(world, 'late', [owner(parent)]);
    make(world, 'mistaken', [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'never', uid: 'uid-never' }]);
    await atRest();

    expect(names(world, 'configmaps')).toEqual([]);
    expect(world.sent).toContain('GET configmaps/never 404');
  });

  test('asks once for an owner that it has not seen, and keeps its dependents', async () => {
    const world = cluster();
    const namespace = world.request('GET', '/api/v1/namespaces/default').object;

    make(world, 'one', [owner(namespace)]);
    make(world, 'two', [owner(namespace)]);
    await atRest();

    expect(names(world, 'configmaps')).toEqual(['one', 'two']);
    expect(world.sent).toEqual(['GET namespaces/default 200']);
  });

  test('leaves a dependent of an unknown kind alone', async () => {
    const world = cluster();
    make(world, 'child', [{ apiVersion: 'nowhere.example.com/v1', kind: 'Ghost', name: 'g', uid: 'uid-g' }]);
    await atRest();

    expect(names(world, 'configmaps')).toEqual(['child']);
    expect(world.sent).toEqual([]);
  });

  test('lets a foreground deletion complete after the blocking dependents', async () => {
    const world = cluster();
    const parent = world.request('POST', WIDGETS_PATH, widget('parent')).object;
    make(world, 'child', [owner(parent, { blockOwnerDeletion: true })], { finalizers: ['example.com/slow'] });

    world.request('DELETE', `${WIDGETS_PATH}/parent?propagationPolicy=Foreground`);
    await atRest();

    expect(names(world, 'widgets.example.com')).toEqual(['parent']);
    expect(world.request('GET', `${CONFIGMAPS_PATH}/child`).object.metadata.deletionTimestamp).toBeDefined();

    world.request('PATCH', `${CONFIGMAPS_PATH}/child`, { metadata: { finalizers: null } }, MERGE);
    await atRest();

    expect(names(world, 'configmaps')).toEqual([]);
    expect(names(world, 'widgets.example.com')).toEqual([]);
  });

  test('completes a foreground deletion without dependents', async () => {
    const world = cluster();
    world.request('POST', WIDGETS_PATH, widget('lonely'));

    world.request('DELETE', `${WIDGETS_PATH}/lonely?propagationPolicy=Foreground`);
    await atRest();

    expect(names(world, 'widgets.example.com')).toEqual([]);
  });

  test('orphans dependents when asked to', async () => {
    const world = cluster();
    const parent = world.request('POST', WIDGETS_PATH, widget('parent')).object;
    make(world, 'child', [owner(parent)]);

    world.request('DELETE', `${WIDGETS_PATH}/parent?propagationPolicy=Orphan`);
    await atRest();

    expect(names(world, 'widgets.example.com')).toEqual([]);
    expect(world.request('GET', `${CONFIGMAPS_PATH}/child`).object.metadata.ownerReferences ?? []).toEqual([]);
  });

  test('tries again after conflicts, failures and broken connections', async () => {
    const world = cluster();
    const parent = make(world, 'parent');
    make(world, 'child', [owner(parent)]);
    let deletes = 0;
    world.interfere = ({ method }) => {
      if (method !== 'DELETE') return undefined;
      deletes++;
      if (deletes === 1) return failure(503, 'ServiceUnavailable', 'later');
      if (deletes === 2) return 'reset';
      if (deletes === 3) world.request('PATCH', `${CONFIGMAPS_PATH}/child`, { data: { a: 'b' } }, MERGE);
      return undefined;
    };

    world.request('DELETE', `${CONFIGMAPS_PATH}/parent`);
    await atRest();

    expect(deletes).toBe(4);
    expect(names(world, 'configmaps')).toEqual([]);
  });

  test('spares a dependent that was adopted just before the delete arrived', async () => {
    const world = cluster();
    const parent = make(world, 'parent');
    const rescuer = make(world, 'rescuer');
    make(world, 'child', [owner(parent)]);
    world.interfere = ({ method }) => {
      if (method !== 'DELETE') return undefined;
      world.interfere = () => undefined;
      world.request('PATCH', `${CONFIGMAPS_PATH}/child`, { metadata: { ownerReferences: [owner(rescuer)] } }, MERGE);
      return undefined;
    };

    world.request('DELETE', `${CONFIGMAPS_PATH}/parent`);
    await atRest();

    expect(names(world, 'configmaps')).toEqual(['child', 'rescuer']);
    expect(world.sent).toEqual(['DELETE configmaps/child 409']);
  });

  test('gives up on a server that never recovers', async () => {
    const world = cluster();
    const parent = make(world, 'parent');
    make(world, 'child', [owner(parent)]);
    world.interfere = () => failure(503, 'ServiceUnavailable', 'later');

    world.request('DELETE', `${CONFIGMAPS_PATH}/parent`);
    await atRest();

    expect(world.sent).toHaveLength(16);
  });
});

test('garbage collection leaves exactly what has no owners or a living one', async () => {
  const node = fc.record({
    owners: fc.uniqueArray(fc.nat({ max: 7 }), { maxLength: 2 }),
    policy: fc.constantFrom('Background', 'Foreground', 'Orphan'),
  });
  const graphs = fc.record({
    nodes: fc.array(node, { minLength: 2, maxLength: 8 }),
    deleted: fc.uniqueArray(fc.nat({ max: 7 }), { minLength: 1, maxLength: 4 }),
  });
  await fc.assert(
    fc.asyncProperty(graphs, async ({ nodes, deleted }) => {
      const world = cluster();
      const made: KubeObject[] = [];
      for (const [index, { owners }] of nodes.entries()) {
        const references = owners.flatMap((at) => made[at] ?? []).map((object) => owner(object));
        made.push(make(world, `n${index}`, references));
      }
      const asked = new Set<string>();
      for (const at of deleted) {
        const object = made[at];
        if (object === undefined) continue;
        asked.add(object.metadata.name ?? '');
        world.request('DELETE', `${CONFIGMAPS_PATH}/n${at}?propagationPolicy=${nodes[at]?.policy ?? 'Background'}`);
        await atRest();
      }

      const left = world.server.objects('configmaps');
      const living = new Set(left.map((object) => object.metadata.uid));
      for (const { metadata } of left) {
        expect(asked.has(metadata.name ?? '')).toBe(false);
        expect(metadata.deletionTimestamp).toBeUndefined();
        for (const reference of metadata.ownerReferences ?? []) expect(living.has(reference.uid)).toBe(true);
      }
      // An object is collected only if it was deleted or had an owner.
      const names = new Set(left.map((object) => object.metadata.name));
      const wronged = made.filter(
        ({ metadata: { name = '', ownerReferences } }) =>
          ownerReferences === undefined && !asked.has(name) && !names.has(name),
      );
      expect(wronged).toEqual([]);
    }),
    { numRuns: 150, seed: 5 },
  );
});

describe('the namespace controller', () => {
  function withNamespace(): Cluster {
    const world = cluster();
    world.request('POST', '/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'team' } });
    world.request('POST', '/api/v1/namespaces/team/configmaps', configMap('a'));
    return world;
  }

  test('empties a deleted namespace and lets it go', async () => {
    const world = withNamespace();
    world.request('POST', '/apis/example.com/v1/namespaces/team/widgets', widget('w'));

    world.request('DELETE', '/api/v1/namespaces/team');
    await atRest();

    expect(names(world, 'namespaces')).not.toContain('team');
    expect(names(world, 'configmaps')).toEqual([]);
    expect(names(world, 'widgets.example.com')).toEqual([]);
  });

  test('waits for finalizers of the contents', async () => {
    const world = withNamespace();
    const path = '/apis/example.com/v1/namespaces/team/widgets';
    world.request('POST', path, widget('w', { size: 1 }, { finalizers: ['example.com/slow'] }));

    world.request('DELETE', '/api/v1/namespaces/team');
    await atRest();
    expect(names(world, 'namespaces')).toContain('team');

    world.request('PATCH', `${path}/w`, { metadata: { finalizers: null } }, MERGE);
    await atRest();
    expect(names(world, 'namespaces')).not.toContain('team');
  });

  test('tries again after failures', async () => {
    const world = withNamespace();
    let puts = 0;
    world.interfere = ({ method }) => {
      if (method !== 'PUT') return undefined;
      puts++;
      return puts === 1 ? failure(409, 'Conflict', 'changed') : undefined;
    };

    world.request('DELETE', '/api/v1/namespaces/team');
    await atRest();

    expect(puts).toBe(2);
    expect(names(world, 'namespaces')).not.toContain('team');
  });

  test('sends nothing while no namespace is deleted', async () => {
    const world = withNamespace();
    world.request('DELETE', '/api/v1/namespaces/team/configmaps/a');
    await atRest();

    expect(world.sent).toEqual([]);
  });
});
