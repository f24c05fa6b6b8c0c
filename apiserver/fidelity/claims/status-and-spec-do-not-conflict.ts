import { verdictOf, type Claim } from './claim.ts';
import { widget } from './objects.ts';

export const statusAndSpecDoNotConflict: Claim = {
  name: 'status-and-spec-do-not-conflict',
  statement: 'An update of the status cannot conflict with an update of the spec.',
  verdict: 'false',
  truth:
    'Both carry the one version of the object, so each makes the other’s update fail with 409, in both directions. A patch without a version does not.',
  run: async (t) => {
    const object = widget('a');
    const first = await t.create(object);
    await t.replace(first, { status: { phase: 'Ready' } }, { status: true });
    const spec = await t.replace(first, { spec: { size: 2 } });
    const second = await t.get(object);
    await t.replace(second, { spec: { size: 3 } });
    const status = await t.replace(second, { status: { phase: 'Lost' } }, { status: true });
    return verdictOf(spec.code === 200, status.code === 200);
  },
};
