/** The catalogue: every claim that a campaign makes unless it is told otherwise, in the order in which they are reported. */
import type { Property } from '../harness/oracle/property.ts';
import { cardinality } from './cardinality.ts';
import { noLostUpdate } from './no-lost-update.ts';

export const properties: readonly Property[] = [noLostUpdate, cardinality];
