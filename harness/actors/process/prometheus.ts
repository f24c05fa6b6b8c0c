/**
 * Reads a controller's own count of its reconciles from its Prometheus endpoint, in the text format.
 *
 * Owns: the names of the counters. Does not own: requesting them (`ask.ts`).
 */

/** The expected value of `--metrics`. */
export const METRICS_FORM = 'an address on loopback, "http://127.0.0.1:{port:metrics}/metrics"';

/** Reports whether a target can serve its metrics at this URL; `{port}` and `{port:NAME}` are placeholders for ports. */
export function isMetricsUrl(text: string): boolean {
  return /^https?:\/\/(127\.0\.0\.1|localhost):(\d+|\{port(:[\w.-]+)?\})(\/\S*)?$/.test(text);
}

/** The counter of controller-runtime, by controller and result. */
const CONTROLLER_RUNTIME = 'controller_runtime_reconcile_total';
/**
 * Counters of other frameworks (`…_reconcile_total`, `…_reconciliations_total`), without counters for a subset of reconciles, which would
 * count those twice.
 */
const GENERIC = /(?:^|_)reconcil(?!.*(?:error|fail|panic|timeout|retr|seconds|duration))\w*_total$/;
const SAMPLE = /^([A-Za-z_:][\w:]*)(?:\{(.*)\})?\s+(\S+)/;
const LABEL = /(\w+)="((?:[^"\\]|\\.)*)"/g;

/**
 * Returns the reconciles since the process started, by result: `success`, `error`, … as in controller-runtime; by the name of the counter
 * if it has no `result` label. Returns undefined if no such counter exists.
 */
export function reconcilesIn(text: string): { readonly [result: string]: number } | undefined {
  const samples = text.split('\n').flatMap((line) => {
    const [, name = '', labels = '', value = ''] = SAMPLE.exec(line) ?? [];
    return GENERIC.test(name) && Number.isFinite(Number(value)) ? [{ name, labels, value: Number(value) }] : [];
  });
  const own = samples.filter(({ name }) => name === CONTROLLER_RUNTIME);
  const counts: { [result: string]: number } = {};
  for (const { name, labels, value } of own.length > 0 ? own : samples) {
    const result = [...labels.matchAll(LABEL)].find(([, label]) => label === 'result')?.[2] ?? name;
    counts[result] = (counts[result] ?? 0) + value;
  }
  return samples.length === 0 ? undefined : counts;
}
