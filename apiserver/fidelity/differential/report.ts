/** The result of a campaign as text. */
import type { CampaignResult, DifferenceClass } from './campaign.ts';

const VALUE_MAX = 400;
const BEFORE = 100;

export function reportText(result: CampaignResult): string {
  const { sequences, steps, elapsedMs, classes, covered, known, errors, flickers } = result;
  const rate = (sequences / (elapsedMs / 1000)).toFixed(1);
  return [
    'Coverage (verb · family · patch · subresource · outcome of the real server: steps)',
    ...[...covered].sort(([a], [b]) => a.localeCompare(b)).map(([key, count]) => `  ${key}: ${count}`),
    '',
    ...classes.map(classText),
    ...errors.map((line) => `error: ${line}`),
    `${sequences} sequences, ${steps} steps in ${(elapsedMs / 1000).toFixed(0)} s (${rate} sequences/s), ` +
      `${covered.size} classes covered, ${known} known differences, ${flickers.length} seen once and never again, ${classes.length} unexplained classes`,
  ].join('\n');
}

function classText({ key, count, example, script, seed, kinds }: DifferenceClass): string {
  const { kind, path, ours, real, answers } = example;
  return [
    `DIFFERENCE ${key}  (${count} times; kind ${kind}; --seed ${seed} of kinds ${kinds.join(', ')})`,
    ...script.map((line) => `  ${line}`),
    `  at ${path}`,
    ...shortened(ours, real),
    ...(answers.ours === answers.real ? [] : [`    ours: ${answers.ours}`, `    real: ${answers.real}`]),
    '',
  ].join('\n');
}

/** Returns both values as text; long ones are cut to the part around the first difference. */
function shortened(ours: unknown, real: unknown): readonly string[] {
  const texts = [ours, real].map((value) => (value === undefined ? 'absent' : JSON.stringify(value)));
  const [one = '', other = ''] = texts;
  let same = 0;
  while (same < one.length && one[same] === other[same]) same++;
  const from = Math.max(one.length, other.length) > VALUE_MAX ? Math.max(0, same - BEFORE) : 0;
  return texts.map((text, side) => {
    const part = text.slice(from, from + VALUE_MAX);
    const [start, end] = [from > 0 ? '…' : '', from + VALUE_MAX < text.length ? '…' : ''];
    return `    ${side === 0 ? 'ours' : 'real'}: ${start}${part}${end}`;
  });
}
