/**
 * Signals to a container of a pod, as a script for its node.
 *
 * SIGTERM goes only to the container's first process, as from a kubelet; that process may forward it. If every process got it, a program
 * below `tini` or `sh` could receive it twice, and take the second one as a request to exit immediately. Other signals go to the whole
 * container. Start at {@link signalScript}.
 */
export type PodSignal = 'KILL' | 'TERM' | 'STOP' | 'CONT';

/** @param container - The container's id, which occurs in the name of its cgroup. */
export function signalScript(container: string, name: PodSignal, proc = '/proc'): string {
  const pids = `pids=$(echo $(grep -l ${container} ${proc}/[0-9]*/cgroup 2>/dev/null | sed 's,/cgroup$,,; s,.*/,,'))`;
  if (name !== 'TERM') return `${pids}; for p in $pids; do kill -${name} "$p"; done`;
  const parent = `$(sed -n 's/^PPid:[[:space:]]*//p' ${proc}/$p/status)`;
  return `${pids}; for p in $pids; do case " $pids " in *" ${parent} "*) ;; *) kill -TERM "$p"; break ;; esac; done`;
}
