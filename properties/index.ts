/** The catalogue: every claim that a campaign makes unless it is told otherwise, in the order in which they are reported. */
import type { Property } from '../harness/oracle/property.ts';
import { boundedRate } from './bounded-rate.ts';
import { cardinality } from './cardinality.ts';
import { convergence } from './convergence.ts';
import { noLostUpdate } from './no-lost-update.ts';
import { noResurrection } from './no-resurrection.ts';
import { survival } from './survival.ts';

export { always, eventually, isSometimes, neverReached, sometimes, tallySometimes } from './predicates.ts';
export type { ObjectsOf, Predicate, Sometimes } from './predicates.ts';

export const properties: readonly Property[] = [
  convergence,
  noLostUpdate,
  boundedRate,
  cardinality,
  noResurrection,
  survival,
];
