/** Reads how often a program has reconciled, according to its own metrics. */
import type { Reading } from '../../model/history.ts';
import { ask, NoAnswer } from './ask.ts';
import type { Enclosure } from './enclosure.ts';
import { reconcilesIn } from './prometheus.ts';

/** The time limit for reading metrics, in ms of real time. */
const METRICS_MS = 1_000;

type Read = Pick<Reading, 'reconciles' | 'metricsFailed'>;

/** The number of tries in a row without an answer in time after which metrics are not asked for again: each try takes a second. */
const TRIES = 3;

/** Go's answer to plain HTTP on a port with TLS. */
const EXPECTS_TLS = 'HTTP request to an HTTPS server';

function hintOf(code: number, body: string): string {
  const wantsToken = code === 401 || code === 403 ? 'it wants a token' : undefined;
  const why = body.includes(EXPECTS_TLS) ? 'it serves TLS' : wantsToken;
  return why === undefined ? '' : `, because ${why} (--metrics-secure=false switches that off, if the target has it)`;
}

/** The metrics of all incarnations of a target. */
export class MetricsOfTarget {
  readonly #withinMs: number;
  #unanswered = 0;
  #silent: Read | undefined;

  constructor(withinMs: number = METRICS_MS) {
    this.#withinMs = withinMs;
  }

  async read(metrics: URL, enclosure: Pick<Enclosure, 'connect'>): Promise<Read> {
    if (this.#silent !== undefined) return this.#silent;
    try {
      const { code, body } = await ask(metrics, enclosure, this.#withinMs);
      this.#unanswered = 0;
      if (code !== 200) return { metricsFailed: `it answered ${code}${hintOf(code, body)}` };
      const reconciles = reconcilesIn(body);
      return reconciles === undefined ? { metricsFailed: 'it has no counter of reconciles' } : { reconciles };
    } catch (error) {
      const failed = { metricsFailed: error instanceof Error ? error.message : String(error) };
      if (error instanceof NoAnswer && ++this.#unanswered >= TRIES) this.#silent = failed;
      return failed;
    }
  }
}
