/** Stores counterexamples of the catalogue and the results of their replays: in a folder, or in memory. */
import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { decodeCounterexample, encodeCounterexample, type Counterexample } from '../../harness/index.ts';
import type { Confirmed } from './table.ts';

export interface Kept {
  readonly counterexample: (name: string) => Counterexample | undefined;
  readonly keep: (name: string, counterexample: Counterexample) => void;
  readonly note: (result: Confirmed) => void;
  /** The latest result of each variant, in the order in which the variants were first tried. */
  readonly results: () => readonly Confirmed[];
}

export function memory(): Kept {
  const results = new Map<string, Confirmed>();
  return {
    counterexample: () => undefined,
    keep: () => undefined,
    note: (result) => void results.set(keyOf(result), result),
    results: () => [...results.values()],
  };
}

/** One file per finding, and a line of JSON per replay. */
export function keptIn(folder: string): Kept {
  mkdirSync(folder, { recursive: true });
  const fileOf = (name: string): string => join(folder, `${name.replaceAll('/', '-')}.json`);
  const lines = join(folder, 'confirmed.jsonl');
  const { note, results } = memory();
  if (existsSync(lines)) {
    for (const line of readFileSync(lines, 'utf8').split('\n')) if (line !== '') note(JSON.parse(line) as Confirmed);
  }
  return {
    counterexample: (name) =>
      existsSync(fileOf(name)) ? decodeCounterexample(readFileSync(fileOf(name), 'utf8'), fileOf(name)) : undefined,
    keep: (name, counterexample) => writeFileSync(fileOf(name), encodeCounterexample(counterexample)),
    note: (result) => {
      note(result);
      appendFileSync(lines, `${JSON.stringify(result)}\n`);
    },
    results,
  };
}

function keyOf({ name, cluster }: Confirmed): string {
  return `${name} ${cluster}`;
}
