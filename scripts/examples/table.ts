/**
 * The examples of docs/properties.md, docs/writers.md and docs/faults.md: the controller, what disturbs it, and what the example shows.
 *
 * Each is a shrunk counterexample in `docs/examples/`, found by a campaign that may use only the writers and faults listed here.
 */
export interface Example {
  /** The name of its file. */
  readonly name: string;
  /**
   * The name in the catalogue of controllers under test; `null` if a configuration file names the target, and possibly a property of its
   * own.
   */
  readonly controller: string | null;
  /** The name of that configuration file in `docs/examples/`, without extension, if it differs from the name of the example. */
  readonly config?: string;
  readonly property: string;
  /** The writers that the campaign may use. */
  readonly writers: readonly string[];
  readonly faults: readonly string[];
  /** The entries of the pages that show the example. The shrunk example must still contain this property, writer and fault. */
  readonly shows: { readonly property?: string; readonly writer?: string; readonly fault?: string };
  /**
   * The expected outcome of an example that was written by hand, because no search produces it: a fault that shrinking removes if lag alone
   * is enough, one that the target survives, a rare one, or a connection fault that needs an exact duration.
   */
  readonly byHand?: 'fails' | 'holds';
}

type Shows = Example['shows'];

/** An example of a property, and of the writer and the fault in `also`; `beside` lists further writers that the campaign may use. */
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

/** An example of a writer. */
function ofWriter(
  writer: string,
  controller: string | null,
  property: string,
  beside: readonly string[] = [],
): Example {
  return { name: writer, controller, property, writers: [...beside, writer], faults: [], shows: { writer } };
}

/** An example of a fault. */
function ofFault(fault: string, controller: string | null, property: string): Example {
  return { name: fault, controller, property, writers: [], faults: [fault], shows: { fault } };
}

/** An example of a connection fault. */
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
  { ...ofWriter('drifter', 'releases/no-relist-after-410', 'convergence'), faults: ['expire-watch'] },
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
