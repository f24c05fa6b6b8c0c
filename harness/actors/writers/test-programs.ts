/**
 * Shared by tests of writers: a small cluster with a sample, children and inputs, and the aim that reference runs on it would produce.
 *
 * Used by tests only.
 */
import * as fc from 'fast-check';
import { testServer, type TestServer } from 'stalemate-apiserver/testing';
import type { JsonObject, KubeObject, OwnerReference } from 'stalemate-apiserver/objects/object';
import { collectionPath } from 'stalemate-apiserver/wire/path';
import type { ObjectTarget, ProgramOp } from '../../model/workload.ts';
import type { AdversarialWriter, Aim, AimObject, WriterContext } from '../../schedule/workload/writer.ts';
import { runProgram } from '../program.ts';

const APP_SCHEMA: JsonObject = {
  type: 'object',
  properties: {
    spec: {
      type: 'object',
      required: ['image'],
      properties: {
        image: { type: 'string', minLength: 1 },
        replicas: { type: 'integer', minimum: 0, maximum: 5 },
        paused: { type: 'boolean' },
        mode: { type: 'string', enum: ['fast', 'safe'], default: 'safe' },
      },
    },
    status: {
      type: 'object',
      properties: {
        observedGeneration: { type: 'integer', format: 'int64' },
        replicas: { type: 'integer' },
        lastBackup: { type: 'string', format: 'date-time' },
        conditions: {
          type: 'array',
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['type'],
          items: {
            type: 'object',
            required: ['type', 'status', 'severity'],
            properties: {
              type: { type: 'string' },
              status: { type: 'string', enum: ['True', 'False', 'Unknown'] },
              severity: { type: 'string', enum: ['Info', 'Warning'] },
              message: { type: 'string' },
            },
          },
        },
      },
    },
  },
};

/** A CRD with status conditions, a foreign status field and scale. */
export const APPS: KubeObject = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'apps.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { plural: 'apps', singular: 'app', kind: 'App', listKind: 'AppList' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: { openAPIV3Schema: APP_SCHEMA },
        subresources: {
          status: {},
          scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' },
        },
      },
    ],
  },
};

export const SAMPLE: KubeObject = {
  apiVersion: 'example.com/v1',
  kind: 'App',
  metadata: { name: 'web', namespace: 'default' },
  spec: { image: 'web:v1', replicas: 2 },
};

export const APP: ObjectTarget = {
  group: 'example.com',
  version: 'v1',
  resource: 'apps',
  namespace: 'default',
  name: 'web',
};
export const DEPLOYMENT: ObjectTarget = { ...APP, group: 'apps', resource: 'deployments' };
export const CONFIGMAP: ObjectTarget = { ...APP, group: '', resource: 'configmaps' };
export const INPUT: ObjectTarget = { ...CONFIGMAP, name: 'input' };
const BYSTANDER: ObjectTarget = { ...CONFIGMAP, name: 'bystander' };

/** The target's finalizer, which no writer may touch. */
export const TARGET_FINALIZER = 'example.com/cleanup';

const CHILD_OWNER = { apiVersion: 'example.com/v1', kind: 'App', name: 'web', controller: true };

export interface WriterWorld extends TestServer {
  readonly aim: Aim;
  readonly context: WriterContext;
  stored(target: ObjectTarget): KubeObject | undefined;
}

/**
 * Creates an app at rest: its deployment and config map exist, its condition and finalizer are set, and there is an input that the target
 * reads.
 */
export function writerWorld(): WriterWorld {
  const made = testServer({ widgets: false });
  made.server.installCrd(APPS);
  const create = (target: ObjectTarget, object: KubeObject): KubeObject => {
    const answer = made.request('POST', collectionPath(target, 'default'), object);
    if (answer.code !== 201) throw new TypeError(JSON.stringify(answer.body));
    return answer.object;
  };
  const sample = { ...SAMPLE, metadata: { ...SAMPLE.metadata, finalizers: [TARGET_FINALIZER] } };
  const { uid = '' } = create(APP, sample).metadata;
  const conditions = [{ type: 'Ready', status: 'True', severity: 'Info' }];
  const path = `${collectionPath(APP, 'default')}/web`;
  const live = made.request('GET', path).object;
  made.request('PUT', `${path}/status`, { ...live, status: { observedGeneration: 1, replicas: 2, conditions } });
  const metadata = { name: 'web', labels: { app: 'web' }, ownerReferences: [{ ...CHILD_OWNER, uid }] };
  create(DEPLOYMENT, deployment(metadata));
  create(CONFIGMAP, { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { config: 'x' } });
  create(INPUT, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'input' }, data: { colour: 'red' } });
  const bystander = create(BYSTANDER, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'bystander' } });
  const stored = ({ group, resource, namespace, name }: ObjectTarget): KubeObject | undefined =>
    made.server.object(group === '' ? resource : `${resource}.${group}`, namespace, name);
  const aimAt = (target: ObjectTarget, rest: Omit<AimObject, 'target' | 'object' | 'kind'>): AimObject => {
    const object = stored(target);
    if (object === undefined) throw new TypeError(`no ${target.resource}/${target.name}`);
    return { target, object, kind: object.kind, ...rest };
  };
  const plain = { hasStatus: false, hasScale: false, ownedLeaves: [] };
  return {
    ...made,
    stored,
    aim: {
      objects: [
        aimAt(APP, {
          relation: 'sample',
          updated: true,
          hasStatus: true,
          hasScale: true,
          ownedLeaves: ['status.observedGeneration', 'status.replicas', 'status.conditions[type=Ready].status'],
          schema: APP_SCHEMA,
        }),
        aimAt(DEPLOYMENT, {
          ...plain,
          relation: 'created-by-target',
          updated: false,
          hasStatus: true,
          hasScale: true,
          ownedLeaves: ['spec.template.spec.containers[name=main].image', 'spec.replicas'],
        }),
        aimAt(CONFIGMAP, { ...plain, relation: 'created-by-target', updated: false, ownedLeaves: ['data.config'] }),
        aimAt(INPUT, { ...plain, relation: 'read', updated: false }),
      ],
      healthySpecChanges: [
        { target: APP, path: ['spec', 'replicas'], value: 3 },
        { target: APP, path: ['spec', 'replicas'], value: 1 },
        { target: APP, path: ['spec', 'image'], value: 'web:v2' },
      ],
    },
    context: {
      sample: [SAMPLE],
      bystander: { namespace: BYSTANDER.namespace, reference: reference(bystander) },
      garbageCollection: true,
    },
  };
}

function deployment(metadata: JsonObject): KubeObject {
  const labels = { app: 'web' };
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata,
    spec: {
      replicas: 2,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: 'main', image: 'web:v1' }] } },
    },
  };
}

function reference({ apiVersion, kind, metadata: { name = '', uid = '' } }: KubeObject): OwnerReference {
  return { apiVersion, kind, name, uid };
}

/** Returns the programs that the writer draws, in the same order every time. */
export function drawn(writer: AdversarialWriter, { aim, context }: WriterWorld): readonly (readonly ProgramOp[])[] {
  const ops = writer.ops(aim, context);
  return ops === undefined ? [] : fc.sample(ops, { numRuns: 300, seed: 1 });
}

/** Returns the field of an operation as a path with dots. */
export function pathOf(op: ProgramOp): string {
  if (!('path' in op)) return '';
  return op.path.map((segment) => (typeof segment === 'string' ? segment : JSON.stringify(segment))).join('.');
}

/** Runs operations against the world; returns each request with its answer. */
export async function play(world: WriterWorld, ops: readonly ProgramOp[]): Promise<readonly string[]> {
  const lines: string[] = [];
  await runProgram(
    { actor: 'writer-1', writer: 'test', ops },
    {
      upstream: {
        send: (request, sink) =>
          world.server.send(request, {
            ...sink,
            answer: (answer) => {
              const why = answer.code < 300 ? '' : ` ${JSON.stringify(answer.body)}`;
              lines.push(`${request.method} ${request.path.replace(/^.*\/default\//, '')} ${answer.code}${why}`);
              sink.answer(answer);
            },
          }),
      },
      resolveName: ({ name }) => name,
      appears: () => Promise.resolve(),
      waits: () => Promise.resolve(),
      onOpDone: () => {},
      ended: () => false,
    },
  );
  return lines;
}

/** Returns the fields of one object that the writer sets in the programs that it draws. */
export function pathsWritten(writer: AdversarialWriter, target: object, world: WriterWorld): ReadonlySet<string> {
  const ops = drawn(writer, world).flat();
  return new Set(ops.flatMap((op) => (op.do === 'set' && op.target === target ? [pathOf(op)] : [])));
}
