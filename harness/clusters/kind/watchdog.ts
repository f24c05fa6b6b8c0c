/**
 * Deletes a kind cluster when we are gone, in whatever way: Ctrl-C twice, a crash, kill -9.
 *
 * Owns: what a shell does then (`watching-shell.ts`). What it cannot do (the machine goes down) the next start does
 * (`kind-cluster.ts`). Start at {@link Watchdog}.
 */
import { WatchingShell } from 'stalemate-apiserver/processes/watching-shell';

/** Reads lines until "done", or the end of the pipe, which means that we are gone. */
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

  /** For a cluster and the folder where things of it lie; `env` is what kind is called with. */
  constructor(cluster: string, folder: string, env: { readonly [name: string]: string | undefined }) {
    this.#shell = new WatchingShell(SCRIPT, [cluster, folder], env);
  }

  /** This process is making the cluster. */
  making(pid: number): void {
    this.#shell.tell(`making ${pid}`);
  }

  made(): void {
    this.#shell.tell('made');
  }

  /** There is nothing left to do. */
  done(): void {
    this.#shell.done();
  }
}
