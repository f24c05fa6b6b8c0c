/** Formats counts, rates and durations for people. */

/** Formats a count with its noun, such as `1 run` or `2 runs`. */
export function countText(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** Formats a rate as runs per second, or per minute if it is low. */
export function rateText(rate: number): string {
  if (rate > 0 && rate < 0.1) return `${(rate * 60).toFixed(1)}/min`;
  return `${rate >= 100 ? Math.round(rate) : rate.toFixed(1)}/s`;
}

/** Formats a duration, such as `2 h 5 min`, `25 min` or `90 s`. */
export function spanText(ms: number): string {
  const seconds = Math.round(ms / 1000);
  if (seconds < 600) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 60) return `${minutes} min`;
  return `${Math.floor(minutes / 60)} h${minutes % 60 === 0 ? '' : ` ${minutes % 60} min`}`;
}
