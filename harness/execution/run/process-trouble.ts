/** Gives hints about a program that does not work as a target; `report/last-words.ts` shows the program's last log lines. */
import { besideTarget, programOf, TARGET, type ActorId } from '../../model/actor.ts';
import type { History } from '../../model/history.ts';
import type { Containment } from './host.ts';

/** Returns a name for the program of an incarnation: the target, or one of its additional programs. */
export function whoText(actor: ActorId): string {
  const program = programOf(actor);
  return program === TARGET ? 'the target' : `the target's program "${program.slice(besideTarget('').length)}"`;
}

const PORT_TAKEN = /address already in use|EADDRINUSE|port \S+ is already in use/i;

/** Returns a hint if the last incarnation found its port in use; otherwise an empty string. */
export function portHint({ logs = [] }: History): string {
  const last = logs.at(-1)?.actor;
  const isTaken = logs.some(({ actor, line }) => actor === last && PORT_TAKEN.test(line));
  return isTaken ? ': a port is taken, let it listen on {port}' : '';
}

/** Returns a hint about why a program may have exited immediately. */
export function exitHint(detail: string): string {
  return detail === 'with code 0' ? ' (start it in the foreground, not as a daemon)' : '';
}

/** Returns a hint about why a program may have sent no request, and which cluster it may have used instead. */
export function silenceHint({ network }: Containment): string {
  const reached =
    network === 'none'
      ? 'it had a loopback interface of its own and nothing else, so it reached no other cluster'
      : "it ran on the host's network: check whether it used another cluster";
  return `does it read KUBECONFIG, or are its arguments to name {kubeconfig}? ${reached}`;
}
