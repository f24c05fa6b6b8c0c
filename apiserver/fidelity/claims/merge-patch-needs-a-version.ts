import { verdictOf, type Claim } from './claim.ts';
import { configMap, widget } from './objects.ts';

export const mergePatchNeedsAVersion: Claim = {
  name: 'merge-patch-needs-a-version',
  statement: 'A merge patch needs a valid resourceVersion.',
  verdict: 'false',
  truth:
    'It needs none. Without one it is applied to the current object and never conflicts, even if its sender has read an older one. "My controller has no 409s" therefore proves nothing.',
  run: async (t) => {
    const holds: boolean[] = [];
    for (const object of [configMap('a'), widget('a')]) {
      await t.create(object);
      holds.push((await t.merge(object, { metadata: { labels: { by: 'me' } } })).code !== 200);
    }
    return verdictOf(...holds);
  },
};
