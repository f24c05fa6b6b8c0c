import { expect, it } from 'vitest';
import { parseManifests } from './manifest-files.ts';

const annotated = (annotations: string): string =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n  annotations:\n${annotations}\ndata: { b: c }\n`;
const read = (text: string): unknown =>
  parseManifests(text, 'a.yaml', false).map(({ object }) => [object.metadata.annotations, object['data']]);

it.each([
  ["    one: 'a text\n    of it''s own\n    lines'\n    two: x", "a text of it's own lines"],
  ['    one: "a \\" text\n    of lines"\n    two: x', 'a " text of lines'],
  ["    one: 'a text\n\n  that goes on'\n    two: x", 'a text\nthat goes on'],
])('takes further lines of a quoted text that begin as far left as their key', (annotations, one) => {
  expect(read(annotated(annotations))).toEqual([[{ one, two: 'x' }, { b: 'c' }]]);
});

it('reports a quote that never ends where it is', () => {
  expect(() => read(annotated("    one: 'never\n    ends"))).toThrow(
    /^"a\.yaml" line \d+ column \d+ is malformed: Missing/,
  );
});

it('says on which line an object is, also below moved lines', () => {
  const text = `${annotated("    one: 'a text\n    of lines'")}---\n${annotated('    one: x')}`;

  expect(parseManifests(text, 'a.yaml', false).map(({ line }) => line)).toEqual([1, 10]);
});
