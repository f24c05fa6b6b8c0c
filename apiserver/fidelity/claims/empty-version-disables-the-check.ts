import { verdictOf, type Claim } from './claim.ts';
import { bare, configMap, deployment, lease, widget } from './objects.ts';

export const emptyVersionDisablesTheCheck: Claim = {
  name: 'empty-version-disables-the-check',
  statement: 'resourceVersion: "" in an update disables the check.',
  verdict: 'in part',
  truth:
    'True for most built-in kinds, such as ConfigMap and Deployment: the update overwrites the current object, whether its sender has read it or not. Some built-in kinds, such as Lease, and all custom resources refuse it with 422. "It works in my operator" therefore depends on the kind.',
  run: async (t) => {
    const holds: boolean[] = [];
    for (const object of [configMap('a'), deployment('a'), lease('a'), widget('a'), bare('a')]) {
      const read = await t.create(object);
      await t.merge(object, { metadata: { labels: { by: 'another' } } });
      holds.push((await t.replace(read, {}, { version: '' })).code === 200);
    }
    return verdictOf(...holds);
  },
};
