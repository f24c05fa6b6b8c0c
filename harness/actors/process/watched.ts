/**
 * Starts a program beside a watchdog that kills it and all of its descendants when our end of its standard input closes: however this
 * process ends, no target is left behind.
 */

/** The variable that every process of one incarnation inherits; its value is the incarnation's folder. */
export const LIFE = 'STALEMATE_LIFE';

/**
 * $1: the folder, which is removed at the end; $2: whether processes can escape and have to be searched for; then the command line. The
 * watcher leaves the process group if the system has `setsid`, because signals for the target are not meant for it. It uses shell
 * builtins where it can: each life pays for the processes that it starts.
 */
const SCRIPT = `
exec 3<&0
leader=$$ folder=$1 search=$2
shift 2
(
  trap '' TERM INT HUP
  unset ${LIFE}
  set --
  command -v setsid && set -- setsid
  exec "$@" /bin/sh -c '
    while read -r line <&3; do :; done
    kill -9 "-$1"
    [ "$3" = false ] || for process in /proc/[0-9]*; do
      grep -qsF "${LIFE}=$2" "$process/environ" && kill -9 "\${process#/proc/}"
    done
    rm -rf "$2"
    case $2 in */stalemate-target-*/life) rmdir "\${2%/life}" ;; esac
  ' sh "$leader" "$folder" "$search"
) >/dev/null 2>&1 4>&- &
exec "$@" 3<&- </dev/null`;

/**
 * Returns the command line that starts `command` beside the watchdog. `search`: whether its descendants can escape and have to be searched
 * for.
 */
export function watched(
  command: readonly string[],
  { folder, search }: { readonly folder: string; readonly search: boolean },
): readonly [string, ...string[]] {
  return ['/bin/sh', '-c', SCRIPT, 'sh', folder, String(search), ...command];
}
