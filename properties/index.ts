/** The catalogue: every property that a campaign checks by default, in reporting order. */
import type { Property } from '../harness/oracle/property.ts';
import { boundedRate } from './bounded-rate.ts';
import { cardinality } from './cardinality.ts';
import { convergence } from './convergence.ts';
import { crashEquivalence } from './crash-equivalence.ts';
import { deletionCompletes } from './deletion-completes.ts';
import { idempotentEffects } from './idempotent-effects.ts';
import { noLostUpdate } from './no-lost-update.ts';
import { noMistakenDeletion } from './no-mistaken-deletion.ts';
import { noResurrection } from './no-resurrection.ts';
import { oneActiveLeader } from './one-active-leader.ts';
import { survival } from './survival.ts';
import { truthfulStatus } from './truthful-status.ts';

export const properties: readonly Property[] = [
  convergence,
  noLostUpdate,
  boundedRate,
  cardinality,
  truthfulStatus,
  deletionCompletes,
  noResurrection,
  noMistakenDeletion,
  survival,
  idempotentEffects,
  crashEquivalence,
  oneActiveLeader,
];
