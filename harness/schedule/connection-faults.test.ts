import { describe, expect, it } from 'vitest';
import { Random } from '../determinism/random.ts';
import { CONNECTION_KINDS, connectionText, type ConnectionFault } from '../model/connection-fault.ts';
import { deviationText, EMPTY_SCHEDULE, type Fault } from '../model/schedule.ts';
import type { Trial } from '../model/trial.ts';
import { drawConnectionFault, gentler } from './connection-faults.ts';
import { relabelled } from './relabel.ts';
import { SearchScheduler } from './search-scheduler.ts';
import { shrinkTrial } from './shrink.ts';
import { item, view } from './test-items.ts';

const AT = 'controller/update/things/default/a#0!sent';
const HOLE: Fault = { do: 'black-hole', at: AT, link: 'target', forMs: 3_000, items: 4 };
const ALWAYS = 10_000;

function drawn(seed: number, links: readonly ('target' | 'cluster')[] | undefined): readonly unknown[] {
  const faults = Object.fromEntries(CONNECTION_KINDS.map((kind) => [kind, ALWAYS]));
  const hints = { steps: 40, conflictSteps: 10, ...(links === undefined ? {} : { links }) };
  const search = { strategy: 'random-walk', seed, fairAfter: 250, faults } as const;
  const scheduler = new SearchScheduler(search, new Random(seed), hints);
  const labels = ['update/a#0!sent', 'update/a#0!answered', 'get/a#0!answered', 'watch/a/default#0/x@0'];
  return labels.flatMap((label) => scheduler.next(view([item(`controller/${label}`)]))?.fault ?? []);
}

describe('a fault of connections', () => {
  it('is drawn once in a run, at any item of the target, on a link that there is', () => {
    for (let seed = 1; seed < 20; seed++) {
      expect(drawn(seed, ['target'])).toMatchObject([{ link: 'target' }]);
      expect(drawn(seed, ['cluster'])).toMatchObject([{ link: 'cluster' }]);
      expect(drawn(seed, undefined)).toEqual([]);
    }
  });

  it('says what it does in one line of plain words', () => {
    expect(deviationText(HOLE)).toBe(
      `connections stay open and nothing gets through between the target and the gate, for 3000 ms or 4 steps, at ${AT}`,
    );
    const slow: ConnectionFault = { do: 'latency', latencyMs: 200, jitterMs: 50, link: 'cluster', forMs: 300 };
    expect(connectionText({ ...slow, until: 'x#0!sent' })).toBe(
      'answers take 200 ms, give or take 50 ms, longer between the gate and the API server, for 300 ms or until x#0!sent',
    );
  });

  it.each(CONNECTION_KINDS)('becomes gentler step by step, and that ends: %s', (kind) => {
    for (let seed = 1; seed < 10; seed++) {
      let fault = drawConnectionFault(kind, new Random(seed), ['target', 'cluster']);
      const seen = new Set<string>();
      for (let next = [...gentler(fault)][0]; next !== undefined; next = [...gentler(fault)][0]) {
        expect(seen).not.toContain(JSON.stringify(next));
        seen.add(JSON.stringify(next));
        fault = next;
      }
      expect(fault.forMs).toBe(300);
      expect(fault.items ?? 1).toBe(1);
    }
  });

  it('shrinks to a gentler one where that fails too, then to a shorter one', () => {
    expect(shrunk((faults) => faults.some((fault) => 'link' in fault))).toEqual([
      { do: 'latency', latencyMs: 50, jitterMs: 0, at: AT, link: 'target', forMs: 300, items: 1 },
    ]);
    expect(shrunk((faults) => faults.some((fault) => fault.do === 'reset' || fault.do === 'black-hole'))).toEqual([
      { do: 'reset', at: AT, link: 'target', forMs: 300, items: 1 },
    ]);
  });

  it('goes away where it is not needed', () => {
    expect(shrunk(() => true)).toEqual([]);
  });

  it('moves with the labels that it begins and ends at', () => {
    const until: Fault = { do: 'down', at: AT, link: 'target', forMs: 300, until: 'controller/get/b#1!sent' };
    const moved = relabelled({ ...EMPTY_SCHEDULE, faults: [until] }, (label) => label.replace('controller', 'other'));

    expect(moved.faults).toMatchObject([{ at: AT.replace('controller', 'other'), until: 'other/get/b#1!sent' }]);
  });
});

/** Shrinks a trial with a black hole, where exactly the trials for which `fails` is true fail. Returns the remaining faults. */
function shrunk(fails: (faults: readonly Fault[]) => boolean): readonly Fault[] {
  const workload = { version: 1, start: 'settled', sample: [], programs: [] } as const;
  const trial: Trial = { workload, schedule: { ...EMPTY_SCHEDULE, faults: [HOLE] } };
  const candidates = shrinkTrial(trial);
  let next = candidates.next();
  while (next.done !== true) next = candidates.next(fails(next.value.schedule.faults));
  return next.value.schedule.faults;
}
