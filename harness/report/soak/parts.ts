/**
 * Sorts the lines of one soak into parts, without duplicates and in a fixed order, whatever their order in the files. Start at
 * {@link Parts}.
 */
import { causeKey } from '../../model/cause.ts';
import type { BatchResult, SoakBudget, SoakEntry, SoakLine, SoakLineOf } from '../../model/soak.ts';
import { compareExamples } from './smallest.ts';

/** The lines of one batch. */
export interface BatchPart {
  /** The machine that ran the batch, by epoch and shard. */
  readonly on: string;
  /** The time of the batch's last line. */
  readonly at: string;
  readonly result: BatchResult | undefined;
  readonly failed: SoakLineOf<'failed'> | undefined;
  readonly findings: readonly { readonly line: SoakLineOf<'finding'>; readonly text: string }[];
}

type Entry<K extends SoakLine['line']> = { readonly line: SoakLineOf<K>; readonly text: string };

export class Parts {
  /** The last `about` line of each shard, the one with the largest budget first. */
  readonly heads: readonly SoakLineOf<'about'>[];
  readonly epochs: readonly string[];
  /** For example `3/16`, in order. */
  readonly shards: readonly string[];
  readonly batches: readonly BatchPart[];
  /** The lines of inconclusive runs. */
  readonly unjudged: readonly Entry<'inconclusive'>[];
  /** The results that each start reports besides its batches. */
  readonly judged: readonly SoakLineOf<'judged'>[];
  readonly #places: ReadonlyMap<string, { readonly epoch: string; readonly shard: string }>;
  /** Shards that have ended. A shard that was given more time afterwards has later lines, and so has not ended. */
  readonly #ended: ReadonlySet<string>;

  constructor(entries: readonly SoakEntry[]) {
    const once = [...new Map(entries.map((entry) => [entry.text, entry])).values()].sort((a, b) =>
      compareTexts(a.text, b.text),
    );
    this.heads = [...lastByPlace(once, ['about']).values()]
      .filter((line) => line.line === 'about')
      .sort((a, b) => sizeOf(b.budget) - sizeOf(a.budget) || compareTexts(a.epoch, b.epoch));
    this.#places = new Map(once.map(({ line }) => [placeOf(line), { epoch: line.epoch, shard: line.shard }]));
    const lastActivity = lastByPlace(once, ['about', 'begun', 'finding', 'batch', 'failed']);
    const ends = [...lastByPlace(once, ['ended'])];
    this.#ended = new Set(ends.flatMap(([place, { at }]) => ((lastActivity.get(place)?.at ?? '') > at ? [] : [place])));
    this.epochs = [...new Set(once.map(({ line }) => line.epoch))].sort();
    this.shards = [...new Set(once.map(({ line }) => line.shard))].sort(compareShards);
    this.batches = batchesOf(once);
    this.unjudged = of(once, 'inconclusive');
    this.judged = of(once, 'judged').map(({ line }) => line);
  }

  /** Returns a sentence for each shard that is missing or has not ended. */
  unfinished(allShards: boolean): readonly string[] {
    const open = [...this.#places]
      .filter(([place]) => !this.#ended.has(place))
      .map(([, place]) => ({ ...place, text: `shard ${place.shard} of ${place.epoch} has not used up its budget` }));
    const missing = allShards ? this.#missing() : [];
    return [...open, ...missing]
      .sort((a, b) => compareTexts(a.epoch, b.epoch) || compareShards(a.shard, b.shard))
      .map(({ text }) => text);
  }

  #missing(): readonly { readonly epoch: string; readonly shard: string; readonly text: string }[] {
    const missing = [];
    for (const epoch of this.epochs) {
      const present = [...this.#places.values()].filter((place) => place.epoch === epoch).map(({ shard }) => shard);
      for (const count of new Set(present.map((shard) => numbersOf(shard)[1]))) {
        for (let index = 1; index <= count; index++) {
          const shard = `${index}/${count}`;
          if (!present.includes(shard)) missing.push({ epoch, shard, text: `shard ${shard} of ${epoch} is missing` });
        }
      }
    }
    return missing;
  }
}

function placeOf({ epoch, shard }: SoakLine): string {
  return `${epoch} ${shard}`;
}

/** Returns the last line of each shard, among lines of these types. */
function lastByPlace(entries: readonly SoakEntry[], kinds: readonly SoakLine['line'][]): ReadonlyMap<string, SoakLine> {
  const inTime = entries
    .map(({ line }) => line)
    .filter(({ line }) => kinds.includes(line))
    .sort((a, b) => compareTexts(a.at, b.at));
  return new Map(inTime.map((line) => [placeOf(line), line]));
}

function batchesOf(entries: readonly SoakEntry[]): readonly BatchPart[] {
  const groups = Map.groupBy(
    entries.filter(({ line }) => 'batch' in line),
    ({ line }) => JSON.stringify([line.epoch, ...numbersOf(line.shard), 'batch' in line ? line.batch : 0]),
  );
  const keyed = [...groups].map(([key, mine]) => ({ mine, key: JSON.parse(key) as readonly (string | number)[] }));
  return keyed.sort((a, b) => compareKeys(a.key, b.key)).map(({ mine }) => partOf(mine));
}

function partOf(entries: readonly SoakEntry[]): BatchPart {
  const [best] = of(entries, 'batch').sort(
    (a, b) => b.line.result.runs - a.line.result.runs || compareTexts(a.text, b.text),
  );
  const [failed] = of(entries, 'failed');
  const findings = new Map<string, Entry<'finding'>>();
  for (const { line, text } of of(entries, 'finding')) {
    const key = causeKey(line.record.violation);
    const before = findings.get(key);
    const mine = { record: line.record, text };
    if (before === undefined || compareExamples(mine, { record: before.line.record, text: before.text }) < 0)
      findings.set(key, { line, text });
  }
  const [{ line: any } = { line: undefined }] = entries;
  return {
    on: any === undefined ? '' : placeOf(any),
    at:
      best?.line.at ??
      entries
        .map(({ line }) => line.at)
        .sort()
        .at(-1) ??
      '',
    result: best?.line.result,
    failed: best === undefined ? failed?.line : undefined,
    findings: [...findings.values()],
  };
}

function of<K extends SoakLine['line']>(entries: readonly SoakEntry[], kind: K): Entry<K>[] {
  return entries.filter((entry): entry is SoakEntry & Entry<K> => entry.line.line === kind);
}

function sizeOf({ timeMs = 0, runs = 0 }: SoakBudget): number {
  return timeMs + runs;
}

/** Parses a shard: `3/16` → 3 and 16. */
function numbersOf(shard: string): readonly [number, number] {
  const [index = 1, count = 1] = shard.split('/').map(Number);
  return [index, count];
}

function compareShards(a: string, b: string): number {
  return compareKeys(numbersOf(a).toReversed(), numbersOf(b).toReversed());
}

function compareKeys(a: readonly (string | number)[], b: readonly (string | number)[]): number {
  for (const [index, one] of a.entries()) {
    const other = b[index] ?? '';
    if (one !== other) return one < other ? -1 : 1;
  }
  return 0;
}

function compareTexts(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
