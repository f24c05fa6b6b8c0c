/** The controller that `dispatcher.ts` starts in the process of a lane. */
import type { ControllerContext, RunningController } from '../../controllers-under-test/lib/controller.ts';

export type Start = (context: ControllerContext) => RunningController | Promise<RunningController>;

let current: Start | undefined;

export function setCurrent(start: Start): void {
  current = start;
}

export function currentStart(): Start {
  if (current === undefined) throw new Error('no controller was chosen');
  return current;
}
