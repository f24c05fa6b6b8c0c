/**
 * Measures how many quiet turns of the event loop a target needs before it counts as at rest.
 *
 * During the measurement, async_hooks count every resource created and every callback run, turn by turn. This is exact but slow, so it is
 * done once per target. Trials count timers, immediates and requests instead, which is an approximation.
 */
import { createHook } from 'node:async_hooks';
import type { Quiescence } from './quiescence.ts';

/** How many quiet turns to wait for late activity during the measurement. */
const PATIENCE_TURNS = 16;

/**
 * Runs `exercise`, which drains through `quiescence`, and sets `quietTurns`: to the smallest number with which no drain would have ended
 * before late activity, plus one for safety, or to 0 if no quiet turn is needed at all. Returns that number.
 */
export async function calibrateQuietTurns(quiescence: Quiescence, exercise: () => Promise<unknown>): Promise<number> {
  let events = 0;
  let eventsBefore = 0;
  let needed = 0;
  /** Number of consecutive quiet turns up to the previous turn; -1 if no drain could have ended with that turn. */
  let quietBefore = -1;
  // Counts only events of an incarnation's code: the harness's own turns, messages and finalizers cause events too.
  const count = (): void => {
    if (quiescence.time.currentOwner() !== undefined) events++;
  };
  const hook = createHook({ init: count, before: count });
  quiescence.quietTurns = PATIENCE_TURNS;
  quiescence.onDrain = () => {
    quietBefore = -1;
  };
  quiescence.onTurn = (quiet) => {
    const moved = events !== eventsBefore;
    eventsBefore = events;
    if (moved && quietBefore >= needed) needed = quietBefore + 1;
    quietBefore = quiet;
  };
  hook.enable();
  try {
    await exercise();
  } finally {
    hook.disable();
    quiescence.onTurn = undefined;
    quiescence.onDrain = undefined;
    quiescence.quietTurns = needed === 0 ? 0 : needed + 1;
  }
  return quiescence.quietTurns;
}
