import { at } from '../conformance/case.ts';
import { verdictOf, type Claim } from './claim.ts';
import { configMap } from './objects.ts';

export const mergePatchAddsToLists: Claim = {
  name: 'merge-patch-adds-to-lists',
  statement: 'A merge patch adds the items that it names to a list.',
  verdict: 'false',
  truth:
    'It replaces the list: the finalizer that another client has added is gone. Send the resourceVersion of the list that you read, or use apply, if the list has keys.',
  run: async (t) => {
    const object = configMap('a');
    await t.create(object);
    await t.merge(object, { metadata: { finalizers: ['example.com/theirs'] } });
    const patched = await t.merge(object, { metadata: { finalizers: ['example.com/mine'] } });
    const finalizers = at(patched.object, 'metadata.finalizers');
    t.note(`finalizers now: ${JSON.stringify(finalizers)}`);
    return verdictOf(Array.isArray(finalizers) && finalizers.includes('example.com/theirs'));
  },
};
