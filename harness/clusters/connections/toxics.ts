/** The toxics of a connection fault. Start at {@link toxicsOf}. */
import type { ConnectionTrouble } from '../../model/connection-fault.ts';

/** `upstream`: data from the client; `downstream`: data to the client. */
export interface Toxic {
  readonly type: 'latency' | 'bandwidth' | 'slow_close' | 'timeout' | 'slicer' | 'limit_data' | 'reset_peer';
  readonly stream: 'upstream' | 'downstream';
  readonly attributes: { readonly [name: string]: number };
}

/** Returns the toxics of a fault; none for `down`, which is not a toxic: the proxy stops listening. */
export function toxicsOf(trouble: ConnectionTrouble): readonly Toxic[] {
  const back = (type: Toxic['type'], attributes: Toxic['attributes']): readonly Toxic[] => [
    { type, stream: 'downstream', attributes },
  ];
  switch (trouble.do) {
    case 'latency':
      return back('latency', { latency: trouble.latencyMs, jitter: trouble.jitterMs });
    case 'bandwidth':
      return back('bandwidth', { rate: trouble.kilobytesPerSecond });
    case 'slow-close':
      return back('slow_close', { delay: trouble.delayMs });
    case 'black-hole':
      // With a timeout of 0, connections are closed only when the toxic is removed.
      return (['upstream', 'downstream'] as const).map((stream) => ({
        type: 'timeout',
        stream,
        attributes: { timeout: 0 },
      }));
    case 'reset':
      return back('reset_peer', { timeout: 0 });
    case 'slice':
      return back('slicer', {
        average_size: trouble.bytes,
        size_variation: Math.floor(trouble.bytes / 2),
        delay: trouble.pauseMicros,
      });
    case 'limit-data':
      return back('limit_data', { bytes: trouble.bytes });
    case 'down':
      return [];
    default:
      return trouble satisfies never;
  }
}
