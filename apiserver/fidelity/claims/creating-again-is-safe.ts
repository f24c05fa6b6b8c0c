import { at } from '../conformance/case.ts';
import { verdictOf, type Claim } from './claim.ts';
import { configMap } from './objects.ts';

export const creatingAgainIsSafe: Claim = {
  name: 'creating-again-is-safe',
  statement: 'A create whose answer was lost can be sent again.',
  verdict: 'in part',
  truth:
    'With a name, yes: the second one is answered 409 AlreadyExists; read the existing object, because it may be your own. With generateName there are two objects afterwards.',
  run: async (t) => {
    await t.create(configMap('a'));
    const named = await t.create(configMap('a'));
    const generated = { ...configMap(''), metadata: { generateName: 'a-' } };
    const names = [await t.create(generated), await t.create(generated)].map((one) => at(one.object, 'metadata.name'));
    t.note(`generated: ${names[0] === names[1] ? 'one object' : 'two objects'}`);
    return verdictOf(named.code === 409, names[0] === names[1]);
  },
};
