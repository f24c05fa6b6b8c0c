import { verdictOf, type Claim } from './claim.ts';
import { configMap } from './objects.ts';

export const resumedWatchMissesNothing: Claim = {
  name: 'resumed-watch-misses-nothing',
  statement: 'A watch that is resumed from a version misses nothing that came after it.',
  verdict: 'true',
  truth:
    'Each change is delivered, in order, also an object that came and went in between, which a list would not show. It holds for as long as the server remembers that version (the next claim).',
  run: async (t) => {
    const { version } = await t.create(configMap('a'));
    await t.merge(configMap('a'), { data: { a: '2' } });
    await t.create(configMap('b'));
    await t.delete(configMap('b'));
    await t.merge(configMap('a'), { data: { a: '3' } });
    const events = await t.events(await t.watch(configMap('a'), version), 4);
    const words = events.map((event) => event.words);
    return verdictOf(words.join() === 'MODIFIED a,ADDED b,DELETED b,MODIFIED a');
  },
};
