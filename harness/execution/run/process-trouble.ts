/** What is said of a program that is no target yet: what it printed last, and what it may be doing instead. */
import type { History } from '../../model/history.ts';
import type { Containment } from './host.ts';

/** Of what it printed, so much is told. */
const LINES_TOLD = 15;
/** Where programs of common languages begin to tell what went wrong. */
const TROUBLE =
  /^(?:panic:|fatal error:|Traceback |Exception in thread|thread '.*'(?: \(\d+\))? panicked|\s*at .+:\d+\)?$|Unhandled|Uncaught|\S*(?:Error|Exception)\b:?)/;

const PORT_TAKEN = /address already in use|EADDRINUSE|port \S+ is already in use/i;

/** The last lines of its last life, or those from where it tells what went wrong; empty when it printed nothing. */
export function lastWords({ logs = [] }: History): string {
  const last = logs.at(-1)?.actor;
  const lines = logs.filter(({ actor }) => actor === last).map(({ line }) => line);
  if (lines.length === 0) return '';
  const at = lines.findIndex((line) => TROUBLE.test(line));
  const from = at < 0 ? Math.max(0, lines.length - LINES_TOLD) : at;
  const told = lines.slice(from, from + LINES_TOLD);
  const taken = lines.some((line) => PORT_TAKEN.test(line)) ? ': a port is taken, let it listen on {port}' : '';
  return `${taken}; it printed:\n${told.map((line) => `  ${line}`).join('\n')}`;
}

/** Why a program that ended right away may have done so. */
export function exitHint(detail: string): string {
  return detail === 'with code 0' ? ' (one that goes on in the background has to be started in the foreground)' : '';
}

/** What a program that never asked for anything may be doing, and whom it may have talked to instead. */
export function silenceHint({ network }: Containment): string {
  const reached =
    network === 'none'
      ? 'it had a loopback interface of its own and nothing else, so that no other cluster was reached'
      : "it ran on the host's network: see whether it talked to another cluster";
  return `does it read KUBECONFIG, or are its arguments to name {kubeconfig}? ${reached}`;
}
