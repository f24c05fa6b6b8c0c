/** The target of a lane for modules: starts the mutant that the lane has selected, so that the harness is loaded only once. */
import type { ControllerContext, RunningController } from '../../controllers-under-test/lib/controller.ts';
import { currentStart } from './current.ts';

export default function start(context: ControllerContext): RunningController | Promise<RunningController> {
  return currentStart()(context);
}
