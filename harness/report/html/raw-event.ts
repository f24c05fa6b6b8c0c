/** An event of a run, before it is packed into the page's table. */

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
  /** Id of the operation behind it, if any. */
  readonly op?: number;
  /** The revision that a delivery carries. */
  readonly revision?: number;
}
