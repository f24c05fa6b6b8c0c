/** Ages in tables: `5s`, `6m24s`, `3d`. */

/** Returns a number of milliseconds as Go's `HumanDuration` prints it. */
export function humanDuration(milliseconds: number): string {
  const seconds = Math.trunc(milliseconds / 1000);
  if (seconds < -1) return '<invalid>';
  if (seconds < 0) return '0s';
  if (seconds < 120) return `${seconds}s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 10) return `${minutes}m${rest(seconds % 60, 's')}`;
  if (minutes < 180) return `${minutes}m`;
  const hours = Math.floor(minutes / 60);
  if (hours < 8) return `${hours}h${rest(minutes % 60, 'm')}`;
  if (hours < 48) return `${hours}h`;
  const days = Math.floor(hours / 24);
  if (days < 8) return `${days}d${rest(hours % 24, 'h')}`;
  if (days < 730) return `${days}d`;
  const years = Math.floor(days / 365);
  return years < 8 ? `${years}y${rest(days % 365, 'd')}` : `${years}y`;
}

function rest(count: number, unit: string): string {
  return count === 0 ? '' : `${count}${unit}`;
}

/** Returns the age of a timestamp; `<unknown>` without one. */
export function since(time: unknown, now: number): string {
  if (typeof time !== 'string' || time === '') return '<unknown>';
  const at = Date.parse(time);
  return Number.isNaN(at) ? '<unknown>' : humanDuration(now - at);
}
