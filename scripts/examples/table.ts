/**
 * The examples of docs/properties.md, docs/writers.md and docs/faults.md: which controller fails under what, and what each shows.
 *
 * Each is a counterexample in `docs/examples/`, found by a campaign that may use nothing but what stands here, and shrunk.
 */
export interface Example {
  /** Of its file. */
  readonly name: string;
  /** In the catalogue of controllers under test; `null`: what a file configures, with a claim of its own or without. */
  readonly controller: string | null;
  /** That file in `docs/examples/`, without its ending, where it is not called like the example. */
  readonly config?: string;
  readonly property: string;
  /** What the campaign may use. */
  readonly writers: readonly string[];
  readonly faults: readonly string[];
  /** The entries that it stands under: it must still be in the example once that is shrunk. */
  readonly shows: { readonly property?: string; readonly writer?: string; readonly fault?: string };
  /**
   * Written by hand, so that no search finds it anew: a fault that shrinking leaves out where lag alone does, one that is got over, a rare one, one
   * of connections that has to last just so long.
   */
  readonly byHand?: 'fails' | 'holds';
}

type Shows = Example['shows'];

/** Under the entry of its property, and of what it also shows: that is used, others may be. */
function ofProperty(
  property: string,
  controller: string,
  also: Omit<Shows, 'property'>,
  beside: readonly string[] = [],
): Example {
  const { writer, fault } = also;
  const writers = writer === undefined ? beside : [...beside, writer];
  const faults = fault === undefined ? [] : [fault];
  return { name: property, controller, property, writers, faults, shows: { property, ...also } };
}

/** Under the entry of a writer. */
function ofWriter(
  writer: string,
  controller: string | null,
  property: string,
  beside: readonly string[] = [],
): Example {
  return { name: writer, controller, property, writers: [...beside, writer], faults: [], shows: { writer } };
}

/** Under the entry of a fault. */
function ofFault(fault: string, controller: string | null, property: string): Example {
  return { name: fault, controller, property, writers: [], faults: [fault], shows: { fault } };
}

/** Under the entry of a fault of connections. */
function ofConnection(fault: string, config: string, property: string, byHand: 'fails' | 'holds' = 'fails'): Example {
  return { ...ofFault(fault, null, property), config, byHand };
}

export const EXAMPLES: readonly Example[] = [
  ofProperty('convergence', 'releases/no-relist-after-410', { fault: 'expire-watch' }, ['spec-churn']),
  ofProperty('no-lost-update', 'releases/refreshes-version-only', { writer: 'foreign-field-writer' }, ['spec-churn']),
  ofProperty('bounded-rate', 'releases/retries-stale-object', {}, ['spec-churn', 'annotation-toucher']),
  ofProperty('cardinality', 'worker-pools/duplicates-on-stale-list', { writer: 'scale-writer' }),
  ofProperty('truthful-status', 'releases/observed-generation-lies', { writer: 'spec-churn' }),
  ofProperty('deletion-completes', 'buckets/gives-up-cleaning', { writer: 'deleter', fault: 'fail' }),
  ofProperty('no-resurrection', 'releases/resurrects-by-apply', {}, ['deleter']),
  ofProperty('no-mistaken-deletion', 'previews/deletes-by-name', { writer: 'recreator' }, ['spec-churn']),
  ofProperty('survival', 'buckets/floats-promises', { fault: 'refuse' }),
  ofProperty('idempotent-effects', 'disks/leaks-on-lost-response', { fault: 'lose-response' }),
  ofProperty('crash-equivalence', 'buckets/crash-between-two-writes', { fault: 'crash' }),
  ofProperty('one-active-leader', 'elected-pools/no-leader-check', { fault: 'start-replica' }, ['spec-churn']),
  ofWriter('status-writer', 'releases/patches-list-blind', 'no-lost-update', ['spec-churn']),
  ofWriter('label-toucher', 'releases/refreshes-version-only', 'no-lost-update', ['spec-churn']),
  ofWriter('annotation-toucher', 'releases/refreshes-version-only', 'no-lost-update', ['spec-churn']),
  ofWriter('finalizer-adder', 'buckets/removes-foreign-finalizers', 'no-lost-update'),
  ofWriter('list-item-appender', 'releases/patches-list-blind', 'no-lost-update', ['spec-churn']),
  ofWriter('self-healer', 'releases/observed-generation-lies', 'truthful-status', ['spec-churn']),
  ofWriter('autoscaler', 'releases/clears-resource-version', 'no-lost-update', ['spec-churn']),
  ofWriter('label-stripper', null, 'one-config-map-each'),
  ofFault('lose-response', 'worker-pools/lost-create-response', 'convergence'),
  { ...ofFault('pause', null, 'leads-to-the-end'), byHand: 'fails' },
  { ...ofFault('delay', null, 'cardinality'), byHand: 'fails' },
  ofFault('down', null, 'survival'),
  ofConnection('latency', 'creates-again', 'one-page-each'),
  ofConnection('bandwidth', 'creates-again', 'one-page-each'),
  ofConnection('slow-close', 'takes-what-came', 'survival', 'holds'),
  ofConnection('black-hole', 'creates-again', 'one-page-each'),
  ofConnection('reset', 'creates-again', 'one-page-each'),
  ofConnection('slice', 'takes-what-came', 'survival'),
  ofConnection('limit-data', 'takes-what-came', 'survival'),
  { ...ofFault('stale-list', 'worker-pools/duplicates-on-stale-list', 'cardinality'), byHand: 'fails' },
  { ...ofFault('close-watch', 'releases/no-relist-after-410', 'convergence'), byHand: 'holds' },
];
