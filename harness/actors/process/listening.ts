/** Finds the TCP ports that processes listen on, in /proc. */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** The value of `st` for a listening socket. */
const LISTEN = '0A';

/** Returns the ports, sorted; empty if this kernel does not list them, or all of the processes have ended. */
export function portsOf(pids: readonly number[]): readonly number[] {
  const ports = new Set<number>();
  for (const pid of pids) {
    const own = socketsOf(pid);
    for (const table of ['tcp', 'tcp6'])
      for (const { port, inode } of listeningIn(`/proc/${pid}/net/${table}`)) if (own.has(inode)) ports.add(port);
  }
  return [...ports].toSorted((a, b) => a - b);
}

/** Returns the sockets of a process, by inode. */
function socketsOf(pid: number): ReadonlySet<string> {
  const folder = `/proc/${pid}/fd`;
  try {
    return new Set(
      readdirSync(folder).flatMap((fd) => /^socket:\[(\d+)\]$/.exec(target(`${folder}/${fd}`))?.[1] ?? []),
    );
  } catch {
    return new Set();
  }
}

function target(link: string): string {
  try {
    return readlinkSync(link);
  } catch {
    // The file was closed in the meantime.
    return '';
  }
}

function listeningIn(path: string): readonly { readonly port: number; readonly inode: string }[] {
  try {
    const [, ...lines] = readFileSync(path, 'latin1').trim().split('\n');
    return lines.flatMap((line) => {
      const [, local = '', , state, , , , , , inode = ''] = line.trim().split(/\s+/);
      return state === LISTEN ? [{ port: Number.parseInt(local.split(':')[1] ?? '', 16), inode }] : [];
    });
  } catch {
    return [];
  }
}
