/** The portfolio: no single strategy is good at everything, so a campaign mixes them (see docs/decisions). */
import type { StrategyName } from '../../model/trial.ts';
import { conflictPct } from './conflict-pct.ts';
import { pos } from './pos.ts';
import { randomWalk } from './random-walk.ts';
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
  };
