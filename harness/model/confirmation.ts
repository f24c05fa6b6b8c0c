/**
 * The result of confirming a finding of the embedded API server on a real one.
 *
 * A confirmation describes the environment, not the run: the same seed may be confirmed in five of five runs today and in four tomorrow. So
 * it comes last in a counterexample, and everything before it depends on the seed alone.
 */
import type { ClusterKind } from './cluster.ts';

/** k of n runs failed the same way. Never rounded up. */
export interface Reproduced {
  readonly k: number;
  readonly n: number;
}

/** The clusters that stalemate can start itself to confirm findings on. */
export const CONFIRM_ON: readonly ['envtest', 'kind'] = ['envtest', 'kind'];

export type ConfirmOn = (typeof CONFIRM_ON)[number];

/** The values of the confirm option. */
export type ConfirmChoice = ConfirmOn | 'none';

export interface Confirmation {
  readonly cluster: ConfirmOn;
  /** `kube-apiserver 1.36.3` */
  readonly server: string;
  readonly reproduced: Reproduced;
}

/** The cluster of a finding and its confirmation, if any. */
interface Confirmable {
  /** Absent for the embedded server. */
  readonly cluster?: ClusterKind;
  readonly confirmed?: Confirmation;
}

/** The fewest runs on a real server, all without the violation, that count as evidence against a finding; fewer may be bad luck. */
const NOT_CONFIRMED_MIN = 5;

/**
 * Reports whether the finding was rerun on a real server often enough without ever occurring, so that it may be an artefact of the embedded
 * server.
 */
export function isNotConfirmed({ confirmed }: Pick<Confirmable, 'confirmed'>): boolean {
  return confirmed !== undefined && confirmed.reproduced.k === 0 && confirmed.reproduced.n >= NOT_CONFIRMED_MIN;
}

/** Returns the answer to "did it happen on a real server?". */
export function realServerText({ cluster = 'embedded', confirmed }: Confirmable): string {
  if (cluster !== 'embedded') return `yes, it was found on one (${cluster})`;
  if (confirmed === undefined) return 'not tried on one: this is from the embedded server';
  const { k, n } = confirmed.reproduced;
  const answer = k === 0 ? 'no' : k === n ? 'yes' : 'sometimes';
  return `${answer}, in ${k} of ${n} runs on ${confirmed.cluster} (${confirmed.server})`;
}

/**
 * Returns `confirmed 5 of 5 on envtest (kube-apiserver 1.36.3)`; `embedded only` if the finding was not run on a real server; `embedded
 * only, not confirmed: …` if it was run on one and never failed; undefined for findings made on a real server.
 */
export function confirmationText({ cluster = 'embedded', confirmed }: Confirmable): string | undefined {
  if (cluster !== 'embedded') return undefined;
  if (confirmed === undefined) return 'embedded only';
  const { k, n } = confirmed.reproduced;
  const grade = isNotConfirmed({ confirmed })
    ? 'embedded only, not confirmed:'
    : k === 0
      ? 'not confirmed,'
      : 'confirmed';
  return `${grade} ${k} of ${n} on ${confirmed.cluster} (${confirmed.server})`;
}
