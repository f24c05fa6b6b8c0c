// Located in `writers` because the generators are in `schedule`, which must not import the server that validates the objects.
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { testServer, WIDGETS, WIDGETS_PATH } from 'stalemate-apiserver/testing';
import type { JsonObject, KubeObject } from 'stalemate-apiserver/objects/object';
import { setAt } from '../../model/edit.ts';
import { specChanges } from '../../schedule/workload/schema-arbitrary.ts';
import { objectArbitrary } from '../../schedule/workload/value-arbitrary.ts';

/** A definition with every schema feature that the generators support. */
const GADGETS: KubeObject = gadgets({
  type: 'object',
  required: ['spec'],
  properties: {
    spec: {
      type: 'object',
      required: ['name', 'size'],
      properties: {
        name: { type: 'string', pattern: '^[a-z]([-a-z0-9]*[a-z0-9])?$', minLength: 2, maxLength: 20 },
        size: { type: 'integer', minimum: 1, maximum: 7 },
        even: { type: 'integer', multipleOf: 2, minimum: 0 },
        ratio: { type: 'number', minimum: 0, maximum: 1 },
        below: { type: 'integer', maximum: 0, exclusiveMaximum: true },
        since: { type: 'string', format: 'date-time' },
        tag: { type: 'string', pattern: '^[[:alnum:]]*$' },
        interval: { type: 'string', pattern: '^([0-9]+(ms|s|m|h))+$' },
        storage: { 'x-kubernetes-int-or-string': true },
        hint: { type: 'string', nullable: true },
        tags: { type: 'array', 'x-kubernetes-list-type': 'set', minItems: 1, maxItems: 4, items: { type: 'string' } },
        ports: {
          type: 'array',
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['port', 'protocol'],
          items: {
            type: 'object',
            required: ['port'],
            properties: {
              port: { type: 'integer', minimum: 1, maximum: 65_535 },
              protocol: { type: 'string', enum: ['TCP', 'UDP'], default: 'TCP' },
            },
          },
        },
        labels: { type: 'object', additionalProperties: { type: 'string', maxLength: 5 } },
        source: {
          type: 'object',
          properties: { git: { type: 'string' }, oci: { type: 'string' } },
          oneOf: [{ required: ['git'] }, { required: ['oci'] }],
        },
        free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
      },
    },
  },
});

function gadgets(openAPIV3Schema: JsonObject): KubeObject {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'gadgets.example.com' },
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural: 'gadgets', singular: 'gadget', kind: 'Gadget', listKind: 'GadgetList' },
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema } }],
    },
  };
}

test.for([
  ['widgets', WIDGETS, WIDGETS_PATH],
  ['gadgets', GADGETS, '/apis/example.com/v1/namespaces/default/gadgets'],
] as const)('the API server accepts generated %s, and every single edit of them', ([, crd, path]) => {
  const objects = objectArbitrary(crd, 'example.com/v1', 'a');
  if (objects === undefined) throw new TypeError('no version v1');
  const { server, request } = testServer({ widgets: false });
  server.installCrd(crd);
  const empty = server.snapshot();
  let edits = 0;

  fc.assert(
    fc.property(objects, (object) => {
      server.restore(empty);
      const created = request('POST', path, object);
      expect(created.body).toMatchObject({ kind: object.kind });
      for (const change of specChanges(crd, object)) {
        const { object: live } = request('GET', `${path}/a`);
        const answer = request('PUT', `${path}/a`, setAt(live, change.path, change.value));
        expect([change, answer.code === 200 ? 200 : answer.body]).toEqual([change, 200]);
        request('PUT', `${path}/a`, {
          ...object,
          metadata: { ...object.metadata, resourceVersion: answer.object.metadata.resourceVersion ?? '' },
        });
        edits++;
      }
    }),
    { numRuns: 60, seed: 11 },
  );

  expect(edits).toBeGreaterThan(300);
});
