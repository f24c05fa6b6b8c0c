import { sample } from 'fast-check';
import { expect, it } from 'vitest';
import { isKnown } from './known.ts';
import { OPTIONS, sequences, type Operation } from './operation.ts';
import type { Difference } from './difference.ts';

const plain = sample(sequences(['widgets']), { seed: 1, numRuns: 1 })[0]?.operations[0];

function difference(operation: Partial<Operation>, more: Partial<Difference>): Difference {
  if (plain === undefined) throw new TypeError('a sequence has operations');
  return {
    key: 'k',
    kind: 'widgets',
    operation: { ...plain, options: [], ...operation },
    steps: 1,
    answers: { ours: '200', real: '200' },
    path: '',
    ours: undefined,
    real: undefined,
    ...more,
  };
}

it('accepts a stale cached list, and no other', () => {
  const path = 'body.metadata.resourceVersion';
  const lag = { path, ours: 'at-least-v3', real: 'at-least-v2' };
  const cached = [OPTIONS.list.indexOf('resourceVersion=0')];
  expect(isKnown(difference({ verb: 'list', options: cached }, lag))).toBe(true);
  expect(isKnown(difference({ verb: 'list' }, lag))).toBe(false);
  expect(isKnown(difference({ verb: 'get', options: cached }, lag))).toBe(false);
  expect(isKnown(difference({ verb: 'list', options: cached }, { ...lag, real: 'v2' }))).toBe(false);
});

it('accepts the version of a bookmark, but not of an object', () => {
  const path = 'events[].object.metadata.resourceVersion';
  expect(isKnown(difference({ verb: 'watch' }, { path, ours: 'at-least-v3', real: 'at-least-v2' }))).toBe(true);
  expect(isKnown(difference({ verb: 'watch' }, { path, ours: 'v3', real: 'v2' }))).toBe(false);
});

it('accepts a template in Go syntax, and no other text', () => {
  const causes = (ours: string, real: string): Partial<Difference> => ({
    path: 'body.details.causes[].message',
    ours: `Invalid value: ${ours}: field is immutable`,
    real: `Invalid value: ${real}: field is immutable`,
  });
  const go = '{"labels":{"a":"b"},"Spec":{"Volumes":null}}';
  expect(isKnown(difference({ verb: 'update' }, causes('{"spec":{}}', go)))).toBe(true);
  expect(isKnown(difference({ verb: 'update' }, causes('{"spec":{}}', '{"spec":{"a":1}}')))).toBe(false);
  expect(isKnown(difference({ verb: 'update' }, causes('null', go)))).toBe(false);
});

it('accepts reordered finalizers of a namespace, and of nothing else', () => {
  const other = { path: 'body.items[].metadata.finalizers[]', ours: 'x.io/one', real: 'x.io/two' };
  expect(isKnown(difference({ verb: 'list' }, { ...other, kind: 'namespaces' }))).toBe(true);
  expect(isKnown(difference({ verb: 'list' }, other))).toBe(false);
});

it('accepts a traffic policy that only watches show', () => {
  const hidden = { path: 'events[].object.spec.internalTrafficPolicy', ours: undefined, real: 'Cluster' };
  expect(isKnown(difference({ verb: 'watch' }, hidden))).toBe(true);
  expect(isKnown(difference({ verb: 'get' }, { ...hidden, path: 'body.spec.internalTrafficPolicy' }))).toBe(false);
});

it('accepts a quoted Scale without owners, and no other', () => {
  const quoted = (ours: string, real: string): Partial<Difference> => ({
    path: 'body.message',
    answers: { ours: '422 Invalid', real: '422 Invalid' },
    ours: `Invalid value: "{\\"metadata\\":{${ours}}}": no`,
    real: `Invalid value: "{\\"metadata\\":{${real}}}": no`,
  });
  const owners = '\\"managedFields\\":[{\\"fieldsV1\\":{\\"f:spec\\":{}}}],';
  expect(isKnown(difference({ verb: 'patch' }, quoted('\\"name\\":\\"a\\"', `${owners}\\"name\\":\\"a\\"`)))).toBe(
    true,
  );
  expect(isKnown(difference({ verb: 'patch' }, quoted('\\"name\\":\\"a\\"', `${owners}\\"name\\":\\"b\\"`)))).toBe(
    false,
  );
});

it('accepts a subset of the unknown fields of an apply, and nothing else', () => {
  const more = (ours: string, real: string): Partial<Difference> => ({
    path: 'body.message',
    answers: { ours: '500 ', real: '500 ' },
    ours: `errors: ${ours}`,
    real: `errors: ${real}`,
  });
  const [a, b] = ['.spec.a: field not declared in schema', '.b: field not declared in schema'];
  expect(isKnown(difference({ verb: 'patch' }, more(`${a} ${b}`, b)))).toBe(true);
  expect(isKnown(difference({ verb: 'patch' }, more(b, `${a} ${b}`)))).toBe(true);
  expect(isKnown(difference({ verb: 'patch' }, more(a, b)))).toBe(false);
  expect(isKnown(difference({ verb: 'patch' }, more(a, 'something else')))).toBe(false);
});

it('generates the same sequences from the same seed', () => {
  const make = (seed: number): unknown => sample(sequences(['widgets', 'configmaps']), { seed, numRuns: 3 });
  expect(make(7)).toEqual(make(7));
  expect(make(7)).not.toEqual(make(8));
});
