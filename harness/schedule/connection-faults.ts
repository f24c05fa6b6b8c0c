/**
 * Draws and shrinks connection faults.
 *
 * Pure. Owns: severity and duration. Does not own: at which item (`search-scheduler.ts`), what else shrinks (`shrink.ts`).
 */
import type { ConnectionFault, ConnectionKind, ConnectionTrouble, Link } from '../model/connection-fault.ts';
import type { Draws } from './strategies/draws.ts';
import { given } from '../model/given.ts';

/** A slow network, a bad one, and one on which clients begin to time out. */
const LATENCIES_MS = [50, 200, 1_000];
/** Transfer rates in KB/s. At the lower rate a list of a few objects takes a second. */
const RATES = [4, 32];
const CLOSES_MS = [200, 1_000];
const SLICES = [16, 256];
const SLICE_PAUSE_MICROS = 200;
/** Bytes after which a connection ends: the small limit cuts off one of the first responses, the large one a later list. */
const LIMITS = [512, 8_192];
/** Durations in ms: a short interruption, then enough time for clients to retry once or several times. */
const LASTING_MS = [300, 1_000, 3_000];
/** The number of steps after which a fault ends early; 0: never. */
const LASTING_ITEMS = [0, 1, 4];

/** The duration to shrink to, in ms; a shorter fault is not worth reporting. */
const BLINK_MS = 300;
const GENTLE_MS = 50;
const GENTLE_RATE = 64;

/** Draws a fault of the given kind on one of the given links. */
export function drawConnectionFault(kind: ConnectionKind, draws: Draws, links: readonly Link[]): ConnectionFault {
  const one = <T>(list: readonly T[]): T => list[draws.int(list.length)] as T;
  const trouble = drawTrouble(kind, one);
  const items = one(LASTING_ITEMS);
  return { ...trouble, link: one(links), forMs: one(LASTING_MS), ...(items === 0 ? {} : { items }) };
}

/** Returns a fault of medium severity and duration, with nothing drawn at random. */
export function typicalConnectionFault(kind: ConnectionKind): ConnectionFault {
  const middle = <T>(list: readonly T[]): T => list[Math.floor(list.length / 2)] as T;
  return { ...drawTrouble(kind, middle), link: 'target', forMs: middle(LASTING_MS) };
}

function drawTrouble(kind: ConnectionKind, one: <T>(list: readonly T[]) => T): ConnectionTrouble {
  switch (kind) {
    case 'latency': {
      const latencyMs = one(LATENCIES_MS);
      return { do: kind, latencyMs, jitterMs: one([0, latencyMs / 2]) };
    }
    case 'bandwidth':
      return { do: kind, kilobytesPerSecond: one(RATES) };
    case 'slow-close':
      return { do: kind, delayMs: one(CLOSES_MS) };
    case 'slice':
      return { do: kind, bytes: one(SLICES), pauseMicros: SLICE_PAUSE_MICROS };
    case 'limit-data':
      return { do: kind, bytes: one(LIMITS) };
    case 'black-hole':
    case 'reset':
    case 'down':
      return { do: kind };
    default:
      return kind satisfies never;
  }
}

/**
 * Yields weaker forms of a fault, the weakest kind first: if a slow answer has the same effect, no broken connection is needed. Dropping
 * the fault altogether has been tried earlier, together with all other deviations.
 */
export function* gentler<F extends ConnectionFault>(fault: F): Generator<F> {
  const { link, forMs, until, items } = fault;
  const at = 'at' in fault ? { at: fault.at } : {};
  const stretch = { link, forMs, ...given({ until, items }) };
  const as = (trouble: ConnectionTrouble): F => ({ ...at, ...trouble, ...stretch }) as unknown as F;
  for (const trouble of gentlerTroubles(fault)) yield as(trouble);
  if (forMs > BLINK_MS) yield { ...fault, forMs: BLINK_MS };
  if (items !== undefined && items > 1) yield { ...fault, items: Math.ceil(items / 2) };
}

function gentlerTroubles(trouble: ConnectionTrouble): readonly ConnectionTrouble[] {
  const slow: ConnectionTrouble = { do: 'latency', latencyMs: GENTLE_MS, jitterMs: 0 };
  switch (trouble.do) {
    case 'latency': {
      const { latencyMs, jitterMs } = trouble;
      if (latencyMs > GENTLE_MS) return [slow, ...(jitterMs > 0 ? [{ ...trouble, jitterMs: 0 }] : [])];
      return jitterMs > 0 ? [{ ...trouble, jitterMs: 0 }] : [];
    }
    case 'bandwidth':
      return trouble.kilobytesPerSecond < GENTLE_RATE
        ? [slow, { ...trouble, kilobytesPerSecond: GENTLE_RATE }]
        : [slow];
    case 'slow-close':
      return trouble.delayMs > GENTLE_MS ? [{ ...trouble, delayMs: GENTLE_MS }] : [];
    case 'slice':
    case 'reset':
      return [slow];
    case 'black-hole':
    case 'limit-data':
    case 'down':
      return [slow, { do: 'reset' }];
    default:
      return trouble satisfies never;
  }
}
