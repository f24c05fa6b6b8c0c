/**
 * Starts a program beside a watchdog that kills it, and all that it started, when our end of its standard input closes: whatever becomes
 * of us, no target is left behind.
 */

/** The variable that every process of one life inherits; its value is the folder of that life. */
export const LIFE = 'STALEMATE_LIFE';

/**
 * $1: the folder, removed in the end; $2: whether processes can get away and have to be looked for; then the command line. The watcher
 * leaves the group where the system has `setsid`: what stops the target or asks it to end is not meant for it.
 */
const SCRIPT = `
exec 3<&0
leader=$$ folder=$1 search=$2
shift 2
(
  trap '' TERM INT HUP
  unset ${LIFE}
  exec $(command -v setsid) /bin/sh -c '
    cat <&3
    kill -9 "-$1"
    [ "$3" = false ] || for process in /proc/[0-9]*; do
      grep -qsF "${LIFE}=$2" "$process/environ" && kill -9 "\${process#/proc/}"
    done
    rm -rf "$2"
    case $2 in */stalemate-target-*/life) rmdir "\${2%/life}" ;; esac
  ' sh "$leader" "$folder" "$search"
) >/dev/null 2>&1 4>&- &
exec "$@" 3<&- </dev/null`;

/** The command line that starts `command` in its own place. `search`: whether what it starts can get away. */
export function watched(
  command: readonly string[],
  { folder, search }: { readonly folder: string; readonly search: boolean },
): readonly [string, ...string[]] {
  return ['/bin/sh', '-c', SCRIPT, 'sh', folder, String(search), ...command];
}
