import { verdictOf, type Claim } from './claim.ts';
import { widget } from './objects.ts';

export const noOpWriteSendsNoEvent: Claim = {
  name: 'no-op-write-sends-no-event',
  statement: 'A write that changes nothing makes no new version and sends no watch event.',
  verdict: 'true',
  truth:
    'PUT, patch and apply alike: the version stays, and the first event of the watch is the change after them. A controller that writes in every reconcile is quiet as long as it writes the same; with one timestamp in the body, it triggers itself for ever.',
  run: async (t) => {
    const object = widget('a');
    const first = await t.apply(object, 'me');
    const stream = await t.watch(object, first.version);
    const writes = [
      await t.replace(first, {}),
      await t.merge(object, { spec: { size: 1 } }),
      await t.apply(object, 'me'),
    ];
    const { version } = await t.merge(object, { spec: { size: 2 } });
    const events = await t.events(stream, 1);
    const same = writes.map((write) => write.version === first.version);
    return verdictOf(...same, version !== first.version, events[0]?.version === version);
  },
};
