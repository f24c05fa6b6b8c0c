/** The result of a comparison as text. */
import type { Counts, Tally } from './conversation.ts';
import type { Difference } from './difference.ts';

const EXAMPLES = 3;
const VALUE_MAX = 500;

export interface ProjectResult extends Tally {
  readonly name: string;
  readonly version: string;
  readonly seconds: number;
}

export function projectLine({ name, version, counts, unexplained, explained, seconds }: ProjectResult): string {
  return (
    `${`${name} ${version}`.padEnd(42)} ${both(counts.definitionsBoth, counts.definitionsReal, counts.definitionsOurs, counts.definitions)} definitions, ` +
    `${both(counts.objectsBoth, counts.objectsReal, counts.objectsOurs, counts.objects)} objects, ${counts.answers} answers: ` +
    `${unexplained.length} unexplained, ${explained.length} explained (${seconds.toFixed(0)} s)`
  );
}

/** Returns `12 of 14` where both servers agree, `12/13 of 14` (ours/real) where they do not. */
function both(agreed: number, real: number, ours: number, all: number): string {
  return agreed === real && real === ours ? `${agreed} of ${all}` : `${ours}/${real} of ${all}`;
}

export function summaryText(results: readonly ProjectResult[], errors: readonly string[]): string {
  const total = sum(results);
  const unexplained = results.flatMap((one) => one.unexplained);
  const explained = results.reduce((count, one) => count + one.explained.length, 0);
  return [
    ...classes(unexplained),
    ...errors.map((line) => `error: ${line}`),
    `${results.length} projects`,
    `definitions: ${total.definitions}, the real server takes ${total.definitionsReal}, the embedded one ${total.definitionsOurs}, both ${total.definitionsBoth}`,
    `objects: ${total.objects}, the real server takes ${total.objectsReal}, the embedded one ${total.objectsOurs}, both ${total.objectsBoth}`,
    `answers compared: ${total.answers}; ${unexplained.length} unexplained differences, ${explained} explained`,
  ].join('\n');
}

function sum(results: readonly ProjectResult[]): Counts {
  const total: { [name: string]: number } = {};
  for (const { counts } of results)
    for (const [name, value] of Object.entries(counts)) total[name] = (total[name] ?? 0) + (value as number);
  return total as unknown as Counts;
}

/** Returns the differences by step and path, the most frequent first, each with examples. */
function classes(differences: readonly Difference[]): readonly string[] {
  const byKey = new Map<string, Difference[]>();
  for (const one of differences) {
    const key = `${one.step} · ${one.answers.ours}${one.answers.ours === one.answers.real ? '' : ` for ${one.answers.real}`} · ${one.path}`;
    byKey.set(key, [...(byKey.get(key) ?? []), one]);
  }
  return [...byKey]
    .sort(([, a], [, b]) => b.length - a.length)
    .flatMap(([key, all]) => [
      `DIFFERENCE ${key} (${all.length} times)`,
      ...all
        .slice(0, EXAMPLES)
        .flatMap((one) => [
          `  ${one.project}: ${one.object} (${one.file})`,
          `    ours: ${shown(one.ours)}`,
          `    real: ${shown(one.real)}`,
        ]),
      '',
    ]);
}

function shown(value: unknown): string {
  const text = value === undefined ? 'absent' : JSON.stringify(value);
  return text.length > VALUE_MAX ? `${text.slice(0, VALUE_MAX)}…` : text;
}
