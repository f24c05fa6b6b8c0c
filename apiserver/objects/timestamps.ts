/** Timestamps in the format that objects use. */

/** Returns the current time plus `offsetSeconds` (default 0): RFC 3339 with whole seconds. */
export type Timestamp = (offsetSeconds?: number) => string;

/** Returns a time as RFC 3339 with whole seconds, as `metav1.Time` is written. */
export function timestampText(epochMs: number): string {
  return `${new Date(epochMs).toISOString().slice(0, 19)}Z`;
}

/** Returns the {@link Timestamp} of a clock. The current second's text is cached: most requests of a trial fall into the same second. */
export function timestampsOf(now: () => number): Timestamp {
  let second = Number.NaN;
  let text = '';
  return (offsetSeconds = 0) => {
    const at = Math.floor(now() / 1000) + offsetSeconds;
    if (at !== second) {
      second = at;
      text = timestampText(at * 1000);
    }
    return text;
  };
}
