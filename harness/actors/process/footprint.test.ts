/** The footprint of this process as the kernel reports it, on systems that do. */
import { closeSync, existsSync, openSync } from 'node:fs';
import { devNull } from 'node:os';
import { describe, expect, it } from 'vitest';
import { footprintOf } from './footprint.ts';

const HAS_PROC = existsSync('/proc/self/status');

describe('a footprint', () => {
  it('counts the file descriptors of a process', () => {
    const before = footprintOf([process.pid]);
    const files = Array.from({ length: 20 }, () => openSync(devNull, 'r'));
    const after = footprintOf([process.pid]);
    for (const file of files) closeSync(file);

    const gained =
      after === undefined || before === undefined ? undefined : after.fileDescriptors - before.fileDescriptors;
    expect(gained).toBe(HAS_PROC ? 20 : undefined);
    expect(after === undefined || (after.threads > 1 && after.memoryKb > 10_000)).toBe(true);
  });

  it('adds up processes, and is unknown for one that is gone', () => {
    const one = footprintOf([process.pid])?.threads;

    expect(footprintOf([process.pid, process.pid])?.threads).toBe(one === undefined ? undefined : one * 2);
    expect(footprintOf([2 ** 22 + 1])).toBeUndefined();
  });
});
