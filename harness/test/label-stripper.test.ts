/** The label stripper against a controller that finds its objects by label alone: no built-in property knows how many objects are right. */
import * as fc from 'fast-check';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { WRITERS } from '../actors/writers/index.ts';
import { openLab } from '../index.ts';
import { FAULT_KINDS } from '../model/fault-kinds.ts';

const file = (name: string): string => fileURLToPath(new URL(`targets/${name}`, import.meta.url));

function only(names: readonly string[], kept: string): { readonly [name: string]: boolean } {
  return Object.fromEntries(names.map((name) => [name, name === kept]));
}

it('makes it have one too many at rest, with every label back in its place', async () => {
  await using lab = await openLab({
    target: file('finds-by-label.ts'),
    crds: [file('crd.yaml')],
    samples: [file('sample.yaml')],
    writers: only(
      WRITERS.map(({ name }) => name),
      'label-stripper',
    ),
    faults: only(FAULT_KINDS, ''),
  });
  const [trial] = fc.sample(lab.trials(), { numRuns: 1, seed: 3 });
  if (trial === undefined) throw new Error('a trial is drawn');

  const { history } = await lab.run(trial);

  const made = history.revisions.filter(({ actor, resource }) => actor === 'controller' && resource === 'configmaps');
  expect(made.map(({ type }) => type)).toEqual(['ADDED', 'ADDED']);
  const last = made.map(({ uid }) => history.revisions.findLast((revision) => revision.uid === uid));
  expect(last.map((revision) => revision?.object.metadata.labels)).toEqual([
    { 'example.com/widget': 'a' },
    { 'example.com/widget': 'a' },
  ]);
});
