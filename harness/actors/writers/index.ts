/** All adversarial writers, in the order in which they are listed to users. */
import type { AdversarialWriter } from '../../schedule/workload/writer.ts';
import { annotationToucher } from './annotation-toucher.ts';
import { autoscaler } from './autoscaler.ts';
import { deleter } from './deleter.ts';
import { drifter } from './drifter.ts';
import { finalizerAdder } from './finalizer-adder.ts';
import { foreignFieldWriter } from './foreign-field-writer.ts';
import { labelStripper } from './label-stripper.ts';
import { labelToucher } from './label-toucher.ts';
import { listItemAppender } from './list-item-appender.ts';
import { recreator } from './recreator.ts';
import { scaleWriter } from './scale-writer.ts';
import { selfHealer } from './self-healer.ts';
import { specChurn } from './spec-churn.ts';
import { statusWriter } from './status-writer.ts';

export const WRITERS: readonly AdversarialWriter[] = [
  specChurn,
  statusWriter,
  labelToucher,
  annotationToucher,
  finalizerAdder,
  listItemAppender,
  deleter,
  recreator,
  scaleWriter,
  foreignFieldWriter,
  selfHealer,
  autoscaler,
  labelStripper,
  drifter,
];
