/** The state of a shard of a soak, which is derived from the shard's lines and thus survives a kill and a restart. */
import { causeKey, type KnownCause } from '../../model/cause.ts';
import { signatureText } from '../../model/signature.ts';
import { reasonText } from '../../model/finding.ts';
import type { SoakEntry, SoakLineOf, SoakRecord } from '../../model/soak.ts';
import { compareExamples, isSmall } from '../../report/soak/smallest.ts';
import { INCONCLUSIVE_MAX } from '../search/search.ts';

/** The maximum number of searches for a finding whose example is still large. */
const TRIES_MAX = 3;

interface Known {
  readonly record: SoakRecord;
  readonly text: string;
  readonly tries: number;
  /** Alternative keys of the finding's cause. */
  readonly also: readonly string[];
}

export class SoakState {
  /** Real time of the batches that have ended or failed, in ms. */
  spentMs = 0;
  /** The number of batches that earlier starts began and never ended; it is unknown when they were killed. */
  cutShort = 0;
  /** The number of runs in completed batches. */
  runs = 0;
  batches = 0;
  /** The number of the next batch: an interrupted batch is not repeated, since it may have caused the interruption. */
  next = 0;
  readonly #known = new Map<string, Known>();
  /** The reasons for inconclusive runs that already have a stored example. */
  readonly #reasons = new Set<string>();
  /** When the current batch was begun. */
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

  /** Reports whether to keep an inconclusive run: only the first one for each reason is kept, and only for the first few reasons. */
  isToKeep(run: Parameters<typeof reasonText>[0]): boolean {
    return this.#reasons.size < INCONCLUSIVE_MAX && !this.#reasons.has(reasonText(run));
  }

  /** Returns the causes that need not be found again: their example is small, or they have been searched for often enough. */
  settled(): readonly KnownCause[] {
    return [...this.#known].flatMap(([key, known]) => {
      // However small it is, a pathological example must not represent a cause that occurs every day.
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
    // A finding is written a second time once a real server has confirmed it.
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
