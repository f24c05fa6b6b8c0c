/** The result of a campaign as text. */
import type { CampaignResult, DifferenceClass } from './campaign.ts';

const VALUE_MAX = 400;

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

export function classText({ key, count, example, script, seed, kinds }: DifferenceClass): string {
  const { kind, path, ours, real, answers } = example;
  return [
    `DIFFERENCE ${key}  (${count} times; kind ${kind}; --seed ${seed} of kinds ${kinds.join(', ')})`,
    ...script.map((line) => `  ${line}`),
    `  at ${path}`,
    `    ours: ${short(ours)}`,
    `    real: ${short(real)}`,
    ...(answers.ours === answers.real ? [] : [`    ours: ${answers.ours}`, `    real: ${answers.real}`]),
    '',
  ].join('\n');
}

function short(value: unknown): string {
  const text = value === undefined ? 'absent' : JSON.stringify(value);
  return text.length > VALUE_MAX ? `${text.slice(0, VALUE_MAX)}…` : text;
}
