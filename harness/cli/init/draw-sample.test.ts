import { describe, expect, it } from 'vitest';
import type { JsonObject } from 'stalemate-apiserver/objects/object';
import { drawSample } from './draw-sample.ts';

function specOf(spec: JsonObject): unknown {
  return drawSample({
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'widgets.example.com' },
    spec: {
      group: 'example.com',
      names: { kind: 'Widget', plural: 'widgets' },
      versions: [
        { name: 'v1alpha1', served: true, storage: false },
        { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { properties: { spec } } } },
      ],
    },
  })['spec'];
}

const object = (properties: JsonObject, required: readonly string[] = Object.keys(properties)): JsonObject => ({
  type: 'object',
  properties,
  required,
});

describe('drawSample', () => {
  it('is of the version that is stored', () => {
    expect(specOf(object({}))).toEqual({});
  });

  it('draws optional fields where nothing else is there to change', () => {
    const items = object({ name: { type: 'string' } }, []);
    const spec = object({ version: { type: 'string' }, parts: { type: 'array', items } }, []);

    expect(specOf(spec)).toEqual({ version: 'example', parts: [{ name: 'example' }] });
    expect(specOf({ ...spec, required: ['version'] })).toEqual({ version: 'example' });
  });

  it.each([
    [{ type: 'integer' }, 2],
    [{ type: 'integer', minimum: 5 }, 5],
    [{ type: 'integer', maximum: 1 }, 1],
    [{ type: 'integer', multipleOf: 5 }, 5],
    [{ type: 'boolean' }, false],
    [{ type: 'string', enum: ['Always', 'Never'] }, 'Always'],
    [{ type: 'string', default: 'day' }, 'day'],
    [{ type: 'string', maxLength: 3 }, '1'],
    [{ type: 'string', pattern: '^[0-9]+(Ki|Mi|Gi)$' }, '1Gi'],
    [{ type: 'string', format: 'date-time' }, '2030-01-01T00:00:00Z'],
    [{ 'x-kubernetes-int-or-string': true }, 1],
    [{ type: 'array', minItems: 1, items: { type: 'string' } }, ['example']],
    [object({ name: { type: 'string' }, note: { type: 'string' } }, ['name']), { name: 'example' }],
  ] as const)('draws %j as %j', (schema, value) => {
    expect(specOf(object({ it: schema }))).toEqual({ it: value });
  });

  it('fits an unusual pattern', () => {
    expect((specOf(object({ it: { type: 'string', pattern: '^Q[0-9]{3}$' } })) as JsonObject)['it']).toMatch(
      /^Q[0-9]{3}$/,
    );
  });

  it('takes no text for a fit that only JavaScript takes for one', () => {
    const spec = object({ it: { type: 'string', pattern: String.raw`^\x{41}$` } });

    expect(specOf(spec)).toEqual({ it: 'example' });
  });

  it('takes of what is optional counts, switches and choices near the top', () => {
    const spec = object({ count: { type: 'integer' }, on: { type: 'boolean' }, note: { type: 'string' } }, []);

    expect(specOf(spec)).toEqual({ count: 2, on: false });
  });
});
