/** Provides violations and properties for tests of judging and shrinking. Used by tests only. */
import type { Violation } from '../../model/check-result.ts';
import type { History } from '../../model/history.ts';
import type { Property } from '../../oracle/property.ts';

export function violation(more: Partial<Violation['signature']> & { readonly at?: number } = {}): Violation {
  const { at = 0, ...signature } = more;
  return {
    signature: { property: 'test', class: 'lost-update', actors: ['target'], kind: 'things', field: '', ...signature },
    sentence: 'the target lost it',
    operations: [],
    revisions: [],
    at,
    severity: 'error',
  };
}

export function property(check: Property['check'], name = 'test'): Property {
  return { name, kind: 'safety', about: 'a claim', check };
}

/** A property that is violated in every run in which a writer set the label `team` of an object. */
export const nobodyLabels: Property = property(({ revisions }: History) =>
  revisions.some(({ actor, object }) => actor.startsWith('writer-') && object.metadata.labels?.['team'] !== undefined)
    ? { result: 'violated', violations: [violation()] }
    : { result: 'holds' },
);
