/** All adversarial writers, in the order in which they are listed to users. */
import type { AdversarialWriter } from '../../schedule/workload/writer.ts';
import { specChurn } from './spec-churn.ts';
import { statusWriter } from './status-writer.ts';

export const WRITERS: readonly AdversarialWriter[] = [specChurn, statusWriter];
