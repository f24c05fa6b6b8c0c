import { describe, expect, it } from 'vitest';
import { item, view } from '../test-items.ts';
import { intermediateState, lateList, staleState } from './restarts.ts';
import { scripted } from './test-draws.ts';

const HINTS = { steps: 40, conflictSteps: 10, watched: ['pods'] };
const CRASH = { do: 'crash' };
const sent = (n: number): ReturnType<typeof item> => item(`controller/update/things/default/a#${n}!sent`);
const answered = (n: number): ReturnType<typeof item> => item(`controller/update/things/default/a#${n}!answered`);
const POD = item('controller~2/watch/pods/default#0/a@0', { touches: 'pods/default/a' });

describe('an intermediate state', () => {
  it('is left by a crash before the drawn write, once', () => {
    // Draws: the second write (2), before it is sent (1), the target first (1).
    const strategy = intermediateState(scripted({ ints: [2, 1, 1] }), HINTS);

    expect([sent(0), answered(0), sent(1), sent(2)].map((one) => strategy.fault?.(one))).toEqual([
      undefined,
      undefined,
      CRASH,
      undefined,
    ]);
  });

  it('or by one after the server has committed it', () => {
    const strategy = intermediateState(scripted({ ints: [0, 0, 1] }), HINTS);

    expect([sent(0), answered(0)].map((one) => strategy.fault?.(one))).toEqual([undefined, CRASH]);
  });

  it('can be changed by others before the next life sees it', () => {
    const strategy = intermediateState(scripted({ ints: [0, 1, 0] }), HINTS);
    const other = item('writer-1/update/things/default/a#0!sent');
    const list = item('controller~2/list/things/-/*#0!sent', { write: false });
    strategy.fault?.(sent(0));

    expect(strategy.pick(view([list, other]))).toBe(other);
  });
});

describe('a stale state', () => {
  // Draws: pods, the first write (0), three revisions back (2), silent for one write (0).
  const drawsFor = (): ReturnType<typeof scripted> => scripted({ ints: [0, 0, 2, 0] });
  const list = item('controller~2/list/pods/-/*#0!sent', {
    touches: 'pods/-/',
    write: false,
    staleable: true,
  });

  it('is what the next life lists of one kind, where that is legal', () => {
    const strategy = staleState(drawsFor(), HINTS);
    strategy.pick(view([sent(0)]));

    expect(strategy.fault?.(list)).toBeUndefined();
    expect(strategy.fault?.(sent(0))).toEqual(CRASH);
    expect(strategy.fault?.({ ...list, staleable: false })).toBeUndefined();
    expect(strategy.fault?.({ ...list, touches: 'things/-/' })).toBeUndefined();
    expect(strategy.fault?.(list)).toEqual({ do: 'stale-list', behind: 3 });
  });

  it('stays for as long as the watch of that kind is silent', () => {
    const strategy = staleState(drawsFor(), HINTS);
    strategy.pick(view([sent(0)]));
    strategy.fault?.(sent(0));
    const write = item('controller~2/create/pods/default/w~0#0!sent', { touches: 'pods/default/' });

    expect(strategy.pick(view([POD, write]))).toBe(write);
    expect(strategy.pick(view([POD]))).toBe(POD);
  });
});

describe('a late list', () => {
  const of = (resource: string): ReturnType<typeof item> =>
    item(`controller~2/list/${resource}/-/*#0!sent`, { touches: `${resource}/-/`, verb: 'list', write: false });

  it('of one kind is held after a crash for as long as anything else can happen', () => {
    // Draws: pods, the first write (0).
    const strategy = lateList(scripted({ ints: [0, 0] }), HINTS);
    const [pods, things] = [of('pods'), of('things')];

    expect(strategy.pick(view([pods, things]))).toBe(pods);
    expect([sent(0), answered(0), answered(1)].map((one) => strategy.fault?.(one))).toEqual([
      undefined,
      CRASH,
      undefined,
    ]);
    expect(strategy.pick(view([pods, things]))).toBe(things);
    expect(strategy.pick(view([pods, sent(1)]))).not.toBe(pods);
    expect(strategy.pick(view([pods]))).toBe(pods);
    const again = of('pods');
    expect(strategy.pick(view([again, sent(2)]))).toBe(again);
  });
});
