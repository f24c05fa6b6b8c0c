import { verdictOf, type Claim } from './claim.ts';
import { widget } from './objects.ts';

export const statusHasItsOwnVersion: Claim = {
  name: 'status-has-its-own-version',
  statement: 'The status subresource has a resourceVersion of its own.',
  verdict: 'false',
  truth:
    'One object, one version. A write through /status changes the version that every client reads and sends. Only what is taken from the body differs: the status there, everything else here.',
  run: async (t) => {
    const object = widget('a');
    await t.create(object);
    const written = await t.merge(object, { status: { phase: 'Ready' } }, { status: true });
    const read = await t.get(object);
    return verdictOf(read.version !== written.version);
  },
};
