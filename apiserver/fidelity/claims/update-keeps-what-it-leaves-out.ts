import { at } from '../conformance/case.ts';
import { verdictOf, type Claim } from './claim.ts';
import { configMap } from './objects.ts';

export const updateKeepsWhatItLeavesOut: Claim = {
  name: 'update-keeps-what-it-leaves-out',
  statement: 'An update (PUT) leaves alone what its body does not mention.',
  verdict: 'false',
  truth:
    'It replaces the object: what is not in the body is removed, labels and foreign keys included. A client whose types do not know a field drops it, with the right version and without any conflict. The status is the exception, if it is a subresource.',
  run: async (t) => {
    const object = configMap('a', { mine: '1', theirs: '1' });
    const read = await t.create(object);
    const written = await t.replace(read, { data: { mine: '2' } });
    t.note(`data now: ${JSON.stringify(written.object['data'])}`);
    return verdictOf(at(written.object, 'data.theirs') === '1');
  },
};
