import { describe, expect, it } from 'vitest';
import { EMPTY_SCHEDULE, type Schedule } from '../model/schedule.ts';
import { reanchorings } from './reanchor.ts';

const READ = 'controller/get/pods/default/web';

function preempted(before: string, until?: string): Schedule {
  return {
    ...EMPTY_SCHEDULE,
    preemptions: [{ before, run: 'writer', ...(until === undefined ? {} : { until }) }],
  };
}

describe('a schedule for a target that was edited', () => {
  it('is tried with one request more, two more and one less before it, each request by itself first', () => {
    const schedules = [...reanchorings(preempted(`${READ}#1!sent`, 'writer/update/pods/default/web#0!answered'))];
    expect(schedules.map(({ moves }) => moves.map(({ to }) => to))).toEqual([
      [`${READ}#2!sent`],
      ['writer/update/pods/default/web#1!answered'],
      [`${READ}#3!sent`],
      ['writer/update/pods/default/web#2!answered'],
      [`${READ}#0!sent`],
      [`${READ}#2!sent`, 'writer/update/pods/default/web#1!answered'],
      [`${READ}#3!sent`, 'writer/update/pods/default/web#2!answered'],
    ]);
    expect(schedules[0]?.schedule).toEqual(preempted(`${READ}#2!sent`, 'writer/update/pods/default/web#0!answered'));
  });

  it('moves both moments of a request together', () => {
    const [first] = reanchorings(preempted(`${READ}#0!sent`, `${READ}#0!answered`));
    expect(first?.schedule).toEqual(preempted(`${READ}#1!sent`, `${READ}#1!answered`));
  });

  it('leaves streams, their events, timers and the heal phase as they are', () => {
    const hold = { stream: 'controller/watch/pods/default#0', from: '@1', until: 'heal' };
    const timers = preempted('controller/timer#3', 'controller/watch/pods/default#0/web@2').preemptions;
    expect([...reanchorings({ ...EMPTY_SCHEDULE, holds: [hold], preemptions: timers })]).toEqual([]);
  });
});
