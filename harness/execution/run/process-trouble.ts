/** What is said of a program that is no target yet: what it may be doing instead. What it printed last is `report/last-words.ts`. */
import { besideTarget, programOf, TARGET, type ActorId } from '../../model/actor.ts';
import type { History } from '../../model/history.ts';
import type { Containment } from './host.ts';

/** Whose life it is: the target's, or that of a program beside its own. */
export function whoText(actor: ActorId): string {
  const program = programOf(actor);
  return program === TARGET ? 'the target' : `the target's program "${program.slice(besideTarget('').length)}"`;
}

const PORT_TAKEN = /address already in use|EADDRINUSE|port \S+ is already in use/i;

/** What to do where its last life found a port taken; empty for any other. */
export function portHint({ logs = [] }: History): string {
  const last = logs.at(-1)?.actor;
  const isTaken = logs.some(({ actor, line }) => actor === last && PORT_TAKEN.test(line));
  return isTaken ? ': a port is taken, let it listen on {port}' : '';
}

/** Why a program that ended right away may have done so. */
export function exitHint(detail: string): string {
  return detail === 'with code 0' ? ' (start it in the foreground, not as a daemon)' : '';
}

/** What a program that never asked for anything may be doing, and whom it may have talked to instead. */
export function silenceHint({ network }: Containment): string {
  const reached =
    network === 'none'
      ? 'it had a loopback interface of its own and nothing else, so it reached no other cluster'
      : "it ran on the host's network: check whether it used another cluster";
  return `does it read KUBECONFIG, or are its arguments to name {kubeconfig}? ${reached}`;
}
