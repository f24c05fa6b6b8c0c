import { verdictOf, type Claim } from './claim.ts';
import { configMap, widget } from './objects.ts';

export const oldVersionIsRefused: Claim = {
  name: 'old-version-is-refused',
  statement: 'An update with an old resourceVersion is refused with 409 Conflict.',
  verdict: 'true',
  truth:
    'Nothing is written, and the answer names the object. The version is compared for equality with that of the object as it is now: it does not matter which field the other writer changed.',
  run: async (t) => {
    const holds: boolean[] = [];
    for (const object of [configMap('a'), widget('a')]) {
      const field = object['kind'] === 'ConfigMap' ? 'data' : 'spec';
      const read = await t.create(object);
      await t.merge(object, { metadata: { labels: { by: 'another' } } });
      holds.push((await t.replace(read, { [field]: {} })).code === 409);
    }
    return verdictOf(...holds);
  },
};
