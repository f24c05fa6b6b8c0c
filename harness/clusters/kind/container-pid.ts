/**
 * Finds the host process of a container in a node.
 *
 * With docker on Linux the node's processes are visible on this machine, with other pids; their cgroups contain the container's id. If the
 * engine runs in a virtual machine, nothing is found.
 */
import { readdirSync, readFileSync } from 'node:fs';

/** Returns the pid of the container's first process; undefined if it is not visible. */
export function pidOfContainer(id: string): number | undefined {
  const pids = numbersIn('/proc').filter((pid) => read(`/proc/${pid}/cgroup`).includes(id));
  const inside = new Set(pids);
  return pids.find((pid) => !inside.has(parentOf(pid)));
}

function parentOf(pid: number): number {
  return Number(/^PPid:\s*(\d+)/m.exec(read(`/proc/${pid}/status`))?.[1] ?? 0);
}

function numbersIn(folder: string): readonly number[] {
  try {
    return readdirSync(folder).map(Number).filter(Number.isInteger);
  } catch {
    return [];
  }
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
