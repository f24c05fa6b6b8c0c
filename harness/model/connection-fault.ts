/**
 * Faults of connections, below HTTP: toxics of toxiproxy, as data.
 *
 * Owns: the kinds of faults, how long one lasts, and its description. Does not own: the requests to toxiproxy
 * (`clusters/connections/toxics.ts`), when a fault is drawn (`schedule/connection-faults.ts`).
 */
import type { Label } from './label.ts';

/** A fault affects only answers and events, because requests are small, unless its comment says otherwise. */
export type ConnectionTrouble =
  | { readonly do: 'latency'; readonly latencyMs: number; readonly jitterMs: number }
  | { readonly do: 'bandwidth'; readonly kilobytesPerSecond: number }
  | { readonly do: 'slow-close'; readonly delayMs: number } // the client learns late that the connection was closed
  | { readonly do: 'black-hole' } // in both directions: connections stay open, bytes vanish; they are closed when the fault ends
  | { readonly do: 'reset' } // each connection, old or new, ends at the next bytes of an answer; new ones with RST
  | { readonly do: 'slice'; readonly bytes: number; readonly pauseMicros: number }
  | { readonly do: 'limit-data'; readonly bytes: number } // each connection ends after this many bytes of answers
  | { readonly do: 'down' }; // connections are cut, new ones refused

export type ConnectionKind = ConnectionTrouble['do'];

/** `target`: between the target and the gate; `cluster`: between the gate and a real API server, for what the target sends. */
export type Link = 'target' | 'cluster';

/**
 * The duration of a connection fault: until the item labelled `until` has happened, a number of items have happened, or an amount of run
 * time has passed, whichever comes first; at the latest until the end of contention.
 */
export interface Stretch {
  readonly link: Link;
  readonly forMs: number;
  readonly until?: Label;
  readonly items?: number;
}

export type ConnectionFault = ConnectionTrouble & Stretch;

/** All kinds of connection faults, in the order in which they are drawn. */
export const CONNECTION_KINDS: readonly ConnectionKind[] = [
  'latency',
  'bandwidth',
  'slow-close',
  'black-hole',
  'reset',
  'slice',
  'limit-data',
  'down',
];

/** Returns a one-line description. */
export function connectionText(fault: ConnectionFault): string {
  const where = fault.link === 'target' ? 'between the target and the gate' : 'between the gate and the API server';
  const ends = [
    `for ${fault.forMs} ms`,
    ...(fault.items === undefined ? [] : [`${fault.items} ${fault.items === 1 ? 'step' : 'steps'}`]),
    ...(fault.until === undefined ? [] : [`until ${fault.until}`]),
  ];
  return `${troubleText(fault)} ${where}, ${ends.join(' or ')}`;
}

function troubleText(trouble: ConnectionTrouble): string {
  switch (trouble.do) {
    case 'latency': {
      const jitter = trouble.jitterMs === 0 ? '' : `, give or take ${trouble.jitterMs} ms,`;
      return `answers take ${trouble.latencyMs} ms${jitter} longer`;
    }
    case 'bandwidth':
      return `answers trickle at ${trouble.kilobytesPerSecond} KB/s`;
    case 'slow-close':
      return `closed connections look open for ${trouble.delayMs} ms more`;
    case 'black-hole':
      return 'connections stay open and nothing gets through';
    case 'reset':
      return 'connections are reset at the next answer';
    case 'slice':
      return `answers come in slices of about ${trouble.bytes} bytes, ${trouble.pauseMicros / 1000} ms apart`;
    case 'limit-data':
      return `connections end after ${trouble.bytes} bytes of answers`;
    case 'down':
      return 'connections are cut and new ones refused';
    default:
      return trouble satisfies never;
  }
}
