/** Replaces labels in a schedule: the only code that knows where a schedule contains labels. */
import type { Label } from '../model/label.ts';
import type { Schedule } from '../model/schedule.ts';

/** `held`: the stream or request that a hold names; `moment`: an item at which something happens. */
export type LabelPlace = 'held' | 'moment';

/** Returns the schedule with every label renamed; `heal` is not a label. */
export function relabelled(schedule: Schedule, rename: (label: Label, place: LabelPlace) => Label): Schedule {
  const moment = (label: Label): Label => rename(label, 'moment');
  return {
    ...schedule,
    preemptions: schedule.preemptions.map((preemption) => ({
      ...preemption,
      ...(preemption.before === undefined ? {} : { before: moment(preemption.before) }),
      ...(preemption.after === undefined ? {} : { after: moment(preemption.after) }),
      ...(preemption.until === undefined ? {} : { until: moment(preemption.until) }),
    })),
    holds: schedule.holds.map((hold) => ({
      ...hold,
      stream: rename(hold.stream, 'held'),
      until: hold.until === 'heal' ? hold.until : moment(hold.until),
    })),
    faults: schedule.faults.map((fault) => ({
      ...fault,
      at: moment(fault.at),
      ...('until' in fault && fault.until !== undefined ? { until: moment(fault.until) } : {}),
    })),
  };
}
