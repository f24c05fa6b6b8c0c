/**
 * Measures how many quiet turns a target needs before it may be taken to be at rest.
 *
 * While it is exercised, async_hooks count every resource born and every callback run, turn by turn: the truth that counting
 * timers, immediates and requests approximates. Slow; done once per target, not in trials.
 */
import { createHook } from 'node:async_hooks';
import type { Quiescence } from './quiescence.ts';

/** How long the measurement waits for a late movement. */
const PATIENCE_TURNS = 16;

/**
 * Runs `exercise`, which drains through `quiescence`, and sets `quietTurns` to what would have been enough to miss no movement, plus
 * one for safety where one turn was not. Returns it.
 */
export async function calibrateQuietTurns(quiescence: Quiescence, exercise: () => Promise<unknown>): Promise<number> {
  let events = 0;
  let eventsBefore = 0;
  let needed = 0;
  /** Quiet turns at the end of the turn before; -1 when nobody would have stopped there. */
  let quietBefore = -1;
  // Only what belongs to an incarnation: the harness's own turns, messages and finalizers move too.
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
