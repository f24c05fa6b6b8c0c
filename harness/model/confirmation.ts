/**
 * What a real API server said to a finding of the embedded one.
 *
 * A fact about the world, not about the run: the same seed may be confirmed in five of five runs today and in four tomorrow. It stands
 * last in a counterexample, and everything before it stays what the seed made it.
 */
import type { Counterexample } from './counterexample.ts';
import type { Reproduced } from './finding.ts';

/** What a finding may be confirmed on without anybody naming a cluster. */
export const CONFIRM_ON: readonly ['envtest', 'kind'] = ['envtest', 'kind'];

export type ConfirmOn = (typeof CONFIRM_ON)[number];

/** What somebody may say of it. */
export type ConfirmChoice = ConfirmOn | 'none';

export interface Confirmation {
  readonly cluster: ConfirmOn;
  /** `kube-apiserver 1.36.3` */
  readonly server: string;
  readonly reproduced: Reproduced;
}

/** The same as an answer to "did it happen on a real server?". */
export function realServerText({
  cluster = 'embedded',
  confirmed,
}: Pick<Counterexample, 'cluster' | 'confirmed'>): string {
  if (cluster !== 'embedded') return `yes, it was found on one (${cluster})`;
  if (confirmed === undefined) return 'nobody asked one: this is from the embedded server';
  const { k, n } = confirmed.reproduced;
  const answer = k === 0 ? 'no' : k === n ? 'yes' : 'sometimes';
  return `${answer}, in ${k} of ${n} runs on ${confirmed.cluster} (${confirmed.server})`;
}

/**
 * `confirmed 5 of 5 on envtest (kube-apiserver 1.36.3)`, or `embedded only` where nobody asked a real server; undefined for what was
 * found on one.
 */
export function confirmationText({
  cluster = 'embedded',
  confirmed,
}: Pick<Counterexample, 'cluster' | 'confirmed'>): string | undefined {
  if (cluster !== 'embedded') return undefined;
  if (confirmed === undefined) return 'embedded only';
  const { k, n } = confirmed.reproduced;
  return `${k === 0 ? 'not confirmed,' : 'confirmed'} ${k} of ${n} on ${confirmed.cluster} (${confirmed.server})`;
}
