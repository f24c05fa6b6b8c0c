/**
 * Signals to a container of a pod, as a script for its node.
 *
 * A kubelet that ends a pod signals its first process alone: that one signals the others or not, and a program below `tini` or `sh`
 * that got it twice would take the second for "at once". Stopping and killing are of the container as a whole. Start at
 * {@link signalScript}.
 */
export type PodSignal = 'KILL' | 'TERM' | 'STOP' | 'CONT';

/** @param container - Its id, which its control group carries. */
export function signalScript(container: string, name: PodSignal, proc = '/proc'): string {
  const pids = `pids=$(echo $(grep -l ${container} ${proc}/[0-9]*/cgroup 2>/dev/null | sed 's,/cgroup$,,; s,.*/,,'))`;
  if (name !== 'TERM') return `${pids}; for p in $pids; do kill -${name} "$p"; done`;
  const parent = `$(sed -n 's/^PPid:[[:space:]]*//p' ${proc}/$p/status)`;
  return `${pids}; for p in $pids; do case " $pids " in *" ${parent} "*) ;; *) kill -TERM "$p"; break ;; esac; done`;
}
