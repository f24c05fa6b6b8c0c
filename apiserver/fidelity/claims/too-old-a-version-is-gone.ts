import { verdictOf, type Claim } from './claim.ts';
import { widget } from './objects.ts';

export const tooOldAVersionIsGone: Claim = {
  name: 'too-old-a-version-is-gone',
  statement: 'A watch from a version that is too old is answered 410.',
  verdict: 'true',
  truth:
    'The 410 comes as an ERROR event in a stream that began with HTTP 200, so a client that looks at the HTTP code only never sees it. The client then has to list again and watch from there: the same version stays expired.',
  run: async (t) => {
    await t.create(widget('a'));
    // Version 1 is older than any server's history.
    const stream = await t.watch(widget('a'), '1');
    const events = await t.events(stream, 1);
    return verdictOf(stream.reply.code === 200, events[0]?.words === 'ERROR 410 Expired');
  },
};
