/**
 * A container of a node as a process of this machine.
 *
 * With docker on Linux the node's processes are ours to see, under other numbers; their control groups carry the container's id. Where the
 * engine is in a machine of its own nothing is found.
 */
import { readdirSync, readFileSync } from 'node:fs';

/** Of its first process. */
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
