/** The stored form of a schedule. */
import { z } from 'zod';
import type { ConnectionKind } from '../../model/connection-fault.ts';
import type { Fault, FaultAction, Hold, Preemption, Schedule } from '../../model/schedule.ts';
import { label, type Shape } from './common.ts';
import { decode, encode, type Format } from './format.ts';

const preemption: z.ZodType<Preemption> = z
  .strictObject({
    before: label.exactOptional(),
    after: label.exactOptional(),
    run: z.string().min(1).meta({ description: 'The actor that acts first, or "time"' }),
    until: label.exactOptional(),
    forMs: z.int().min(1).exactOptional().meta({ description: 'Of time: how long it passes' }),
  } satisfies Shape<Preemption>)
  .refine(
    (value) => (value.before === undefined) !== (value.after === undefined),
    'exactly one of "before" and "after" must be given',
  )
  .meta({
    id: 'Preemption',
    description: 'When the anchored item is about to happen (or has just happened), another actor acts first',
  });

const hold: z.ZodType<Hold> = z
  .strictObject({
    stream: label,
    from: z.string().regex(/^@-?\d+$/, 'expected "@k", the number of an event in its stream'),
    until: label.meta({ description: 'The item that ends the hold, or "heal"' }),
  } satisfies Shape<Hold>)
  .meta({ id: 'Hold', description: 'Staleness: events of a watch stream wait' });

const anchor = { at: label };
const times = { times: z.int().min(1).exactOptional() };

const stretch = {
  link: z.enum(['target', 'cluster']).meta({
    description: 'Between the target and the gate, or between the gate and a real API server',
  }),
  forMs: z.int().min(1).meta({ description: 'It ends after so much run time, if nothing else ends it before' }),
  until: label.meta({ description: 'The item after which it ends' }).exactOptional(),
  items: z.int().min(1).meta({ description: 'It ends after so many items' }).exactOptional(),
};
const amount = z.int().min(1);

/** Schemas of connection faults. They set no upper limits, so that a user can try how much a client tolerates. */
const connectionFaults = [
  z.strictObject({
    ...anchor,
    do: z.literal('latency'),
    latencyMs: z.int().min(0),
    jitterMs: z.int().min(0),
    ...stretch,
  }),
  z.strictObject({ ...anchor, do: z.literal('bandwidth'), kilobytesPerSecond: amount, ...stretch }),
  z.strictObject({ ...anchor, do: z.literal('slow-close'), delayMs: amount, ...stretch }),
  z.strictObject({ ...anchor, do: z.literal('slice'), bytes: amount, pauseMicros: z.int().min(0), ...stretch }),
  z.strictObject({ ...anchor, do: z.literal('limit-data'), bytes: amount, ...stretch }),
  z.strictObject({ ...anchor, do: z.enum(['black-hole', 'reset', 'down']), ...stretch }),
] as const;

const fault: z.ZodType<Fault> = z
  .discriminatedUnion('do', [
    z.strictObject({
      ...anchor,
      do: z.literal('fail'),
      status: z.union([z.literal(429), z.literal(500), z.literal(503), z.literal(504)]),
      retryAfterSeconds: z.number().exactOptional(),
      ...times,
    }),
    z.strictObject({ ...anchor, do: z.enum(['pause', 'delay']), forMs: z.int().min(1), ...times }),
    z.strictObject({ ...anchor, do: z.literal('stale-list'), behind: z.int().min(0), ...times }),
    z.strictObject({
      ...anchor,
      do: z.enum(['refuse', 'lose-response', 'close-watch', 'expire-watch', 'crash', 'start-replica'] satisfies Exclude<
        FaultAction['do'],
        'fail' | 'stale-list' | 'pause' | 'delay' | ConnectionKind
      >[]),
      ...times,
    }),
    ...connectionFaults,
  ])
  .meta({
    id: 'Fault',
    description: 'What the gate does to one item besides holding it, or what happens to connections from it on',
  });

const schema: z.ZodType<Schedule> = z
  .strictObject({
    version: z.literal(1),
    default: z.literal('run-to-completion'),
    preemptions: z.array(preemption),
    holds: z.array(hold),
    faults: z.array(fault),
  } satisfies Shape<Schedule>)
  .meta({ id: 'Schedule', description: 'The decisions of one run: a default order plus labelled deviations from it' });

export const SCHEDULE: Format<Schedule> = { kind: 'schedule', version: 1, schema, upgrades: [] };

/** Encodes the schedule as versioned JSON. */
export function encodeSchedule(schedule: Schedule): string {
  return encode(SCHEDULE, schedule);
}

/** @throws {FORMAT_INVALID} {FORMAT_TOO_NEW} */
export function decodeSchedule(text: string, source: string): Schedule {
  return decode(SCHEDULE, text, source);
}
