/** Finds the descendants of a process in /proc. */
import { readdirSync, readFileSync } from 'node:fs';

/** Returns a process and all of its descendants, parents first; only the process itself if this kernel does not list them. */
export function familyOf(pid: number): readonly number[] {
  const family = [pid];
  for (const member of family) {
    for (const path of tasksOf(member)) family.push(...childrenOf(path));
  }
  return family;
}

function childrenOf(path: string): readonly number[] {
  try {
    const text = readFileSync(`${path}/children`, 'latin1').trim();
    return text === '' ? [] : text.split(' ').map(Number);
  } catch {
    return [];
  }
}

/** Returns the /proc folders of a process's threads; none once it has ended. */
export function tasksOf(pid: number): readonly string[] {
  try {
    return readdirSync(`/proc/${pid}/task`).map((thread) => `/proc/${pid}/task/${thread}`);
  } catch {
    return [];
  }
}
