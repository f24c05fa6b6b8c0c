/** One event of a run, before the page's table packs it. */

export const EVENT_KINDS = [
  'read',
  'write',
  'refused',
  'delivery',
  'stream',
  'process',
  'decision',
  'phase',
  'log',
] as const;

export type EventKind = (typeof EVENT_KINDS)[number];

export interface RawEvent {
  readonly at: number;
  readonly timeMs: number;
  readonly kind: EventKind;
  readonly actor: string;
  readonly verb: string;
  readonly object: string;
  readonly text: string;
  readonly label: string;
  /** Id of the operation that it shows, if any. */
  readonly op?: number;
  /** Revision that a delivery shows. */
  readonly revision?: number;
}
