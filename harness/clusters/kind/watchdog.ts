/**
 * Deletes a kind cluster when this process is gone for any reason: Ctrl-C twice, a crash, kill -9.
 *
 * Owns: the shell script that deletes it (run by `watching-shell.ts`). After a failure of the whole machine, the next start cleans up
 * (`kind-cluster.ts`). Start at {@link Watchdog}.
 */
import { WatchingShell } from 'stalemate-apiserver/processes/watching-shell';

/** Reads lines until "done", or until the pipe closes because this process has ended. */
const SCRIPT = `
while read -r line; do
  case $line in
    done) exit 0 ;;
    making\\ *) making=\${line#making } ;;
    made) making= ;;
  esac
done
# An engine goes on with what a caller who was killed has asked for: only what is made to its end can be deleted for good.
# Kind itself is waited for, not its group: once its output has no reader it ends between two steps, and what follows a node's log stays.
while [ -n "$making" ] && kill -0 "$making" 2>/dev/null; do sleep 0.2; done
# What cannot be deleted now, as on a machine that is very busy, is left to the next start, which reads what lies in the folder.
tries=0
until kind delete cluster --name "$1" --kubeconfig "$2/kubeconfig" && [ -z "$(kind get nodes --name "$1")" ]; do
  tries=$((tries + 1))
  [ $tries -lt 10 ] || exit 1
  sleep 2
done
rm -rf -- "$2"`;

export class Watchdog {
  readonly #shell: WatchingShell;

  /** Creates the watchdog for a cluster. `folder` contains the cluster's files; `env` is the environment for kind. */
  constructor(cluster: string, folder: string, env: { readonly [name: string]: string | undefined }) {
    this.#shell = new WatchingShell(SCRIPT, [cluster, folder], env);
  }

  /** Sends the watchdog the pid of the process that creates the cluster. */
  making(pid: number): void {
    this.#shell.tell(`making ${pid}`);
  }

  made(): void {
    this.#shell.tell('made');
  }

  /** Ends the watchdog, when nothing is left to delete. */
  done(): void {
    this.#shell.done();
  }
}
