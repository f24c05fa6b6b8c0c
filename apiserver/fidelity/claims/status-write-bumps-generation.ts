import { at } from '../conformance/case.ts';
import { verdictOf, type Claim } from './claim.ts';
import { bare, widget } from './objects.ts';

export const statusWriteBumpsGeneration: Claim = {
  name: 'status-write-bumps-generation',
  statement: 'A write of the status bumps metadata.generation only where there is no status subresource.',
  verdict: 'true',
  truth:
    'Without the subresource the status is a field like any other, so a controller that writes it is triggered as by a change of the spec, and a predicate on the generation does not help. With it, the generation counts changes of the spec alone.',
  run: async (t) => {
    const status = { status: { phase: 'Ready' } };
    await t.create(widget('a'));
    const through = await t.merge(widget('a'), status, { status: true });
    await t.create(bare('a'));
    const main = await t.merge(bare('a'), status);
    return verdictOf(at(through.object, 'metadata.generation') === 1, at(main.object, 'metadata.generation') === 2);
  },
};
