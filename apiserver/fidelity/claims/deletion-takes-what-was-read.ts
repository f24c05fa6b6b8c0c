import { plain } from '../differential/compare.ts';
import { at } from '../conformance/case.ts';
import { verdictOf, type Claim } from './claim.ts';
import { configMap } from './objects.ts';

export const deletionTakesWhatWasRead: Claim = {
  name: 'deletion-takes-what-was-read',
  statement: 'A delete removes the object that was read before.',
  verdict: 'false',
  truth:
    'It deletes the object that has that name by then, even a new one of another client. With the uid, or the version, as a precondition it is refused with 409.',
  run: async (t) => {
    const object = configMap('a');
    const read = await t.create(object);
    const uid = plain(at(read.object, 'metadata.uid') ?? '');
    await t.delete(object);
    await t.create(object);
    const careful = await t.delete(object, { uid });
    const careless = await t.delete(object);
    return verdictOf(careful.code === 200, careless.code !== 200);
  },
};
