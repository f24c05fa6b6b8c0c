/**
 * What stands before a target's command line, so that nothing that it starts can outlive it.
 *
 * A process may leave its group and its session, but never its pid namespace, which ends with its first process. Where the host
 * permits none, the group and the marked environment have to do (`survivors.ts`). Start at {@link processWrapper}.
 */
import { spawnSync } from 'node:child_process';
import { LIFE } from './watched.ts';

export interface ProcessWrapper {
  readonly wrapper: readonly string[];
  readonly endsAll: boolean;
}

/**
 * The first process of the namespace: a target in its place would be spared the signals that it has no handler for.
 *
 * Before that it lays what a pod finds below /var/run over the host's, where mounts are its own and nothing that is needed lies there
 * (NixOS has its programs in it). What else is below /run, sockets of container engines for instance, is no business of the target's.
 */
const SCRIPT = `
pod=$${LIFE}/pod run=$(readlink -f /var/run)
if [ -d "$pod" ] && [ -n "$run" ] && [ ! -e /run/current-system ]; then
  case "$${LIFE}/ $PWD/" in
    *"$run"/* | */var/run/*) ;;
    *) mount -t tmpfs -o size=1m stalemate "$run" 2>/dev/null && cp -R "$pod/." "$run/" ;;
  esac
fi
"$@"; exit $?`;
const INIT = ['/bin/sh', '-c', SCRIPT, 'sh'];
const FORK = ['--pid', '--fork', '--kill-child'];
/** Without it, programs that look themselves up in /proc find somebody else. */
const MOUNT = '--mount-proc';
const PROBE_MS = 5_000;

/** @param enter What stands before a command line that runs in another namespace already. */
export function processWrapper(enter: readonly string[]): ProcessWrapper {
  const ways = identities().flatMap((identity) => [
    ['unshare', ...identity, ...FORK, MOUNT],
    ['unshare', ...identity, ...FORK],
  ]);
  for (const way of ways) {
    const wrapper = [...enter, ...way, ...INIT];
    if (runs(wrapper)) return { wrapper, endsAll: true };
  }
  return { wrapper: enter, endsAll: false };
}

/** Who the target is inside: the user who starts it, or root in name where only that can be had. */
function identities(): readonly (readonly string[])[] {
  const uid = process.getuid?.();
  const gid = process.getgid?.();
  if (uid === undefined || gid === undefined) return [];
  if (uid === 0) return [[]];
  return [['--user', `--map-user=${uid}`, `--map-group=${gid}`], ['--user', '--map-root-user'], []];
}

function runs([program = '', ...args]: readonly string[]): boolean {
  return spawnSync(program, [...args, 'true'], { stdio: 'ignore', timeout: PROBE_MS }).status === 0;
}
