/** Validates cron schedules: five fields, or a descriptor, with the messages of Kubernetes' parser. */

const NAMES: readonly (readonly string[])[] = [
  [],
  [],
  [],
  ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'],
  ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'],
];
const BOUNDS: readonly (readonly [number, number])[] = [
  [0, 59],
  [0, 23],
  [1, 31],
  [1, 12],
  [0, 6],
];
const DESCRIPTORS = ['@yearly', '@annually', '@monthly', '@weekly', '@daily', '@midnight', '@hourly'];

/** Returns the error in a schedule; undefined for a valid one. */
export function scheduleError(schedule: string): string | undefined {
  const bare = schedule.replace(/^(CRON_)?TZ=\S+\s+/, '').trim();
  if (bare.startsWith('@')) {
    if (DESCRIPTORS.includes(bare) || /^@every \d/.test(bare)) return undefined;
    return `unrecognized descriptor: ${bare}`;
  }
  const fields = bare.split(/\s+/).filter((field) => field !== '');
  if (fields.length !== BOUNDS.length)
    return `expected exactly ${BOUNDS.length} fields, found ${fields.length}: [${fields.join(' ')}]`;
  for (const [index, field] of fields.entries()) {
    const error = fieldError(field, index);
    if (error !== undefined) return error;
  }
  return undefined;
}

function fieldError(field: string, index: number): string | undefined {
  for (const part of field.split(',')) {
    const error = partError(part, index);
    if (error !== undefined) return error;
  }
  return undefined;
}

function partError(part: string, index: number): string | undefined {
  const [range = '', step, ...more] = part.split('/');
  if (more.length > 0) return `too many slashes: ${part}`;
  const [low, high] = BOUNDS[index] ?? [0, 0];
  const ends = range.split('-');
  if (ends.length > 2) return `too many hyphens: ${part}`;
  const numbers: number[] = [];
  if (range !== '*' && range !== '?')
    for (const end of ends) {
      const number = numberOf(end, index);
      if (number === undefined)
        return `failed to parse int from ${end}: strconv.Atoi: parsing ${JSON.stringify(end)}: invalid syntax`;
      numbers.push(number);
    }
  const [first = low, last = first] = numbers;
  if (first < low) return `beginning of range (${first}) below minimum (${low}): ${part}`;
  if (last > high) return `end of range (${last}) above maximum (${high}): ${part}`;
  if (first > last) return `beginning of range (${first}) beyond end of range (${last}): ${part}`;
  if (step !== undefined) {
    if (!/^\d+$/.test(step))
      return `failed to parse int from ${step}: strconv.Atoi: parsing ${JSON.stringify(step)}: invalid syntax`;
    if (Number(step) === 0) return `step of range should be a positive number: ${part}`;
  }
  return undefined;
}

function numberOf(text: string, index: number): number | undefined {
  const named = NAMES[index]?.indexOf(text.toLowerCase()) ?? -1;
  if (named >= 0) return named + (BOUNDS[index]?.[0] ?? 0);
  return /^\d+$/.test(text) ? Number(text) : undefined;
}
