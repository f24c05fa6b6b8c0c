import { verdictOf, type Claim } from './claim.ts';
import { bare, configMap, deployment, lease, widget } from './objects.ts';

export const emptyVersionDisablesTheCheck: Claim = {
  name: 'empty-version-disables-the-check',
  statement: 'resourceVersion: "" in an update disables the check.',
  verdict: 'in part',
  truth:
    'So it is for most built-in kinds, ConfigMap and Deployment among them: the update overwrites whatever is there, seen or not. Some built-in kinds, such as Lease, and all custom resources refuse it with 422. "It works in my operator" therefore depends on the kind.',
  run: async (t) => {
    const stands: boolean[] = [];
    for (const object of [configMap('a'), deployment('a'), lease('a'), widget('a'), bare('a')]) {
      const read = await t.create(object);
      await t.merge(object, { metadata: { labels: { by: 'another' } } });
      stands.push((await t.replace(read, {}, { version: '' })).code === 200);
    }
    return verdictOf(...stands);
  },
};
