/** The kinds of faults with a one-sentence description each: the names that a configuration accepts and `list faults` prints. */
import { CONNECTION_KINDS } from './connection-fault.ts';
import type { FaultKind } from './schedule.ts';

/** The order matters: the kinds are drawn in it, so a different order would change the search of the same seed. */
export const FAULTS: { readonly [kind in FaultKind]: string } = {
  fail: 'a request is answered 429, 500, 503 or 504 instead of being done',
  refuse: 'a connection is refused: the server never sees the request',
  'lose-response':
    'the server commits a request, the answer is lost with the connection: the target cannot know; a watch ends in mid-stream',
  'close-watch': 'a watch ends cleanly, as after its time-out: the target must watch again from where it was',
  'expire-watch':
    'a watch answers 410 Gone (Expired): the version to resume from is compacted; the target must list again, then watch',
  'stale-list': 'a list at resourceVersion=0 comes from the past; applies to targets that list that way only',
  crash: 'the target is killed at a request and started again',
  'start-replica': 'a second copy of the target starts; for targets with leader election only',
  pause: 'the process is paused, long enough to lose a lock; only for processes that were seen to hold one',
  delay:
    'a request, an answer or a watch event comes late, after deadlines of the target have passed; for programs in virtual time unless asked for',
  latency: 'connections (needs toxiproxy, off unless asked for): answers take longer, by a fixed or a varying time',
  bandwidth: 'connections: answers trickle',
  'slow-close': 'connections: the other end learns of a close late',
  'black-hole': 'connections: they stay open, and nothing gets through in either direction',
  reset: 'connections: each is reset at its next answer',
  slice: 'connections: answers come in small slices, also in the middle of a frame',
  'limit-data': 'connections: each ends after so many bytes of answers',
  down: 'connections: all are cut, and new ones refused',
};

export const FAULT_KINDS: readonly FaultKind[] = Object.keys(FAULTS) as FaultKind[];

/** The collective name of all connection faults, for switching them on and off. */
export const CONNECTION = 'connection';

/** The kinds that are on by default; the others need a toxiproxy server and take real time, as clients wait for timeouts. */
export const DEFAULT_FAULT_KINDS: readonly FaultKind[] = FAULT_KINDS.filter(
  (kind) => !CONNECTION_KINDS.some((other) => other === kind),
);
