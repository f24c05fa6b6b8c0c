/**
 * The current resource use of a process and its descendants: file descriptors, threads, resident memory.
 *
 * Owns: reading it from /proc. Does not own: when it is read, and how it is evaluated (`report/trend.ts`).
 */
import { readdirSync, readFileSync } from 'node:fs';
import type { Footprint } from '../../model/history.ts';

/** Returns the sums over these processes; undefined if the system does not report their use, or all of them have ended. */
export function footprintOf(pids: readonly number[]): Footprint | undefined {
  const found = pids.flatMap((pid) => readOne(pid) ?? []);
  if (found.length === 0) return undefined;
  const sum = (of: (one: Footprint) => number): number => found.reduce((total, one) => total + of(one), 0);
  return {
    fileDescriptors: sum(({ fileDescriptors }) => fileDescriptors),
    threads: sum(({ threads }) => threads),
    memoryKb: sum(({ memoryKb }) => memoryKb),
  };
}

function readOne(pid: number): Footprint | undefined {
  try {
    const fileDescriptors = readdirSync(`/proc/${pid}/fd`).length;
    const status = readFileSync(`/proc/${pid}/status`, 'latin1');
    const number = (field: string): number => Number(new RegExp(`^${field}:\\s*(\\d+)`, 'm').exec(status)?.[1] ?? 0);
    return { fileDescriptors, threads: number('Threads'), memoryKb: number('VmRSS') };
  } catch {
    return undefined;
  }
}
