/** The portfolio: no single strategy is good at everything, so a campaign mixes them (see docs/decisions). */
import type { StrategyName } from '../../model/trial.ts';
import { collide } from './collide.ts';
import { conflictPct } from './conflict-pct.ts';
import { gap } from './gap.ts';
import { lag, unobservedState } from './lag.ts';
import { lostLock } from './lost-lock.ts';
import { pos } from './pos.ts';
import { randomWalk } from './random-walk.ts';
import { intermediateState, lateList, staleState } from './restarts.ts';
import { starvation } from './starvation.ts';
import type { MakeStrategy } from './strategy.ts';

export const strategies: { readonly [name in StrategyName]: { readonly make: MakeStrategy; readonly about: string } } =
  {
    'random-walk': { make: randomWalk, about: 'uniform over everything pending; finds tight multi-step orders' },
    pos: { make: pos, about: 'partial-order sampling; finds orders among few conflicting items' },
    'conflict-pct': {
      make: conflictPct,
      about: 'random priorities, few changes at conflicts; finds deep bugs under noise',
    },
    starvation: { make: starvation, about: 'one stream or actor gets nothing for a while; finds long cache staleness' },
    lag: {
      make: lag,
      about:
        'no events of one kind are delivered while the target writes so many times; finds decisions from a stale cache',
    },
    collide: {
      make: collide,
      about: 'other writers act between what the target reads and what it writes; finds lost updates',
    },
    'intermediate-state': {
      make: intermediateState,
      about: 'the target crashes between two writes that belong together; finds what a restart does not fix',
    },
    'stale-state': {
      make: staleState,
      about: 'the target restarts into the past: an old list where that is legal, and a delayed watch',
    },
    'late-list': {
      make: lateList,
      about: 'the target restarts, and one of its caches stays empty for a while; finds work that begins too early',
    },
    'lost-lock': {
      make: lostLock,
      about: 'the leader cannot renew its lock, and a second copy takes over; finds leaders that go on without it',
    },
    gap: {
      make: gap,
      about:
        'a watch expires while other actors act, so that the target never sees what was created and deleted meanwhile',
    },
    'unobserved-state': {
      make: unobservedState,
      about: 'a change and its undoing are delivered together; finds what needs every step to be seen',
    },
  };
