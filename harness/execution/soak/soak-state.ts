/** Where a shard of a soak stands, as its lines tell it: the same after a restart as if it had never been killed. */
import { causeKey, type KnownCause } from '../../model/cause.ts';
import { signatureText } from '../../model/signature.ts';
import { reasonText } from '../../model/finding.ts';
import type { SoakEntry, SoakLineOf, SoakRecord } from '../../model/soak.ts';
import { compareExamples, isSmall } from '../../report/soak/smallest.ts';
import { INCONCLUSIVE_MAX } from '../search/search.ts';

/** A finding that is still large is looked for so often in all. */
const TRIES_MAX = 3;

interface Known {
  readonly record: SoakRecord;
  readonly text: string;
  readonly tries: number;
  /** Other keys of its cause. */
  readonly also: readonly string[];
}

export class SoakState {
  /** Real time of the batches that came to an end, or to nothing. */
  spentMs = 0;
  /** Batches that were begun by earlier starts and never ended: nobody knows when they were killed. */
  cutShort = 0;
  /** Of the batches that came to an end. */
  runs = 0;
  batches = 0;
  /** The number of the next batch: one that was cut short is not made again, for it may be the one that did it. */
  next = 0;
  readonly #known = new Map<string, Known>();
  /** Why nothing can be said about runs, as far as one of them is kept. */
  readonly #reasons = new Set<string>();
  /** When the batch was begun that has no end yet. */
  #begunAt: string | undefined;

  constructor(entries: readonly SoakEntry[]) {
    for (const entry of entries) this.take(entry);
    this.#begin(undefined);
  }

  get causes(): number {
    return this.#known.size;
  }

  take({ line, text }: SoakEntry): 'new' | 'smaller' | undefined {
    if ('batch' in line) this.next = Math.max(this.next, line.batch + 1);
    if (line.line === 'inconclusive') this.#reasons.add(reasonText(line.recording.inconclusive));
    if (line.line === 'begun') this.#begin(line.at);
    if (line.line === 'batch') {
      this.spentMs += line.result.elapsedMs;
      this.runs += line.result.runs;
      this.batches++;
    }
    if (line.line === 'failed') this.spentMs += Math.max(0, Date.parse(line.at) - Date.parse(this.#begunAt ?? line.at));
    if (line.line === 'batch' || line.line === 'failed') this.#begunAt = undefined;
    return line.line === 'finding' ? this.#learn(line, text) : undefined;
  }

  /** Whether it is the first run of one of the first reasons. */
  isToKeep(run: Parameters<typeof reasonText>[0]): boolean {
    return this.#reasons.size < INCONCLUSIVE_MAX && !this.#reasons.has(reasonText(run));
  }

  /** Causes that need not be found again: those whose example is small, or was looked for often enough. */
  settled(): readonly KnownCause[] {
    return [...this.#known].flatMap(([key, known]) => {
      // However small: what fails no run must not stand for a cause that shows every day.
      const isGood = isSmall(known.record) && known.record.stats.grade !== 'pathological';
      return isGood || known.tries >= TRIES_MAX ? [knownCause(key, known)] : [];
    });
  }

  known(): readonly KnownCause[] {
    return [...this.#known].map(([key, known]) => knownCause(key, known));
  }

  #begin(at: string | undefined): void {
    if (this.#begunAt !== undefined) this.cutShort++;
    this.#begunAt = at;
  }

  #learn({ record, also: more = [] }: SoakLineOf<'finding'>, text: string): 'new' | 'smaller' | undefined {
    const key = causeKey(record.violation);
    const before = this.#known.get(key);
    // Told once more, with what a real server says of it.
    const isAgain = record.counterexample.confirmed !== undefined;
    const tries = (before?.tries ?? 0) + (isAgain ? 0 : 1);
    const isBetter = before === undefined || compareExamples({ record, text }, before) < 0;
    const also = [...new Set([...(before?.also ?? []), ...more])];
    this.#known.set(key, isBetter ? { record, text, tries, also } : { ...before, tries, also });
    if (before === undefined) return 'new';
    return isBetter ? 'smaller' : undefined;
  }
}

function knownCause(key: string, { record, also }: Known): KnownCause {
  return { key, signatures: [signatureText(record.violation.signature)], ...(also.length === 0 ? {} : { also }) };
}
