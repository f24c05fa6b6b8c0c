import { verdictOf, type Claim } from './claim.ts';
import { configMap } from './objects.ts';

export const patchWithVersionIsChecked: Claim = {
  name: 'patch-with-version-is-checked',
  statement: 'A patch that carries a resourceVersion is checked as an update is.',
  verdict: 'true',
  truth:
    'A merge patch and an apply that carry an old version are refused with 409. This is how a list is patched safely (controller-runtime: MergeFromWithOptimisticLock).',
  run: async (t) => {
    const object = configMap('a');
    const { version } = await t.create(object);
    const now = await t.merge(object, { data: { a: '2' } });
    const old = await t.merge(object, { metadata: { resourceVersion: version }, data: { a: '3' } });
    const applied = await t.apply(
      { ...configMap('a', { b: '1' }), metadata: { name: 'a', resourceVersion: version } },
      'me',
    );
    const good = await t.merge(object, { metadata: { resourceVersion: now.version }, data: { a: '4' } });
    return verdictOf(old.code === 409, applied.code === 409, good.code === 200);
  },
};
