import { verdictOf, type Claim } from './claim.ts';
import { configMap } from './objects.ts';

export const applyReportsOwners: Claim = {
  name: 'apply-reports-owners',
  statement: 'Apply without force reports conflicts of ownership, not of versions.',
  verdict: 'true',
  truth:
    'An apply without a version succeeds however often the object has changed since, as long as no other manager owns one of its fields with another value. That conflict is a 409 too, with the manager and the field in its message: a retry does not help, and forcing it takes the field from its manager.',
  run: async (t) => {
    await t.apply(configMap('a', { mine: '1' }), 'me');
    await t.apply(configMap('a', { other: '1' }), 'another');
    await t.apply(configMap('a', { other: '2' }), 'another');
    const own = await t.apply(configMap('a', { mine: '2' }), 'me');
    const foreign = await t.apply(configMap('a', { mine: '2', other: '3' }), 'me');
    return verdictOf(own.code === 200, foreign.code === 409, foreign.message.includes('conflict with "another"'));
  },
};
