import { verdictOf, type Claim } from './claim.ts';
import { configMap } from './objects.ts';

export const conflictMeansAnotherWriter: Claim = {
  name: 'conflict-means-another-writer',
  statement: 'A 409 means that another writer has changed the object.',
  verdict: 'false',
  truth:
    'One writer alone gets it by writing twice from one read: its own first write was the change. Controllers get it whenever they read from a cache that has not received their last write yet. A retry with the same version is refused every time.',
  run: async (t) => {
    const read = await t.create(configMap('a'));
    await t.replace(read, { data: { a: '2' } });
    const again = await t.replace(read, { data: { a: '3' } });
    const retried = await t.replace(read, { data: { a: '3' } });
    return verdictOf(again.code !== 409, retried.code !== 409);
  },
};
