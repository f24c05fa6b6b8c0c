/**
 * What a real API server said to a finding of the embedded one.
 *
 * A fact about the world, not about the run: the same seed may be confirmed in five of five runs today and in four tomorrow. It stands
 * last in a counterexample, and everything before it stays what the seed made it.
 */
import type { ClusterKind } from './cluster.ts';

/** k of n runs failed the same way. Never rounded up. */
export interface Reproduced {
  readonly k: number;
  readonly n: number;
}

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

/** Where a finding was found, and what a real server said of it. */
interface Confirmable {
  /** Absent: the embedded server. */
  readonly cluster?: ClusterKind;
  readonly confirmed?: Confirmation;
}

/** That many runs on a real server that all come to nothing say something about the finding; fewer may have been bad luck. */
const NOT_CONFIRMED_MIN = 5;

/** Whether a real server was asked often enough, and never showed it: then it may be an artefact of the embedded one. */
export function isNotConfirmed({ confirmed }: Pick<Confirmable, 'confirmed'>): boolean {
  return confirmed !== undefined && confirmed.reproduced.k === 0 && confirmed.reproduced.n >= NOT_CONFIRMED_MIN;
}

/** The same as an answer to "did it happen on a real server?". */
export function realServerText({ cluster = 'embedded', confirmed }: Confirmable): string {
  if (cluster !== 'embedded') return `yes, it was found on one (${cluster})`;
  if (confirmed === undefined) return 'not tried on one: this is from the embedded server';
  const { k, n } = confirmed.reproduced;
  const answer = k === 0 ? 'no' : k === n ? 'yes' : 'sometimes';
  return `${answer}, in ${k} of ${n} runs on ${confirmed.cluster} (${confirmed.server})`;
}

/**
 * `confirmed 5 of 5 on envtest (kube-apiserver 1.36.3)`, `embedded only` where no real server was asked, `embedded only, not confirmed: …`
 * where one was and never showed it; undefined for what was found on a real one.
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
