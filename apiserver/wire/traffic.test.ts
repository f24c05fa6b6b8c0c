import { EventEmitter } from 'node:events';
import { describe, expect, it } from 'vitest';
import { Traffic } from './traffic.ts';

class Wire extends EventEmitter {
  bytesRead = 0;
  bytesWritten = 0;
}

describe('traffic', () => {
  it('counts opened connections, and bytes in both directions', () => {
    const traffic = new Traffic();
    const wire = new Wire();

    traffic.add(wire);
    const opened = traffic.moved;
    wire.bytesRead = 100;
    wire.bytesWritten = 20;

    expect(opened).toBeGreaterThan(0);
    expect(traffic.moved).toBe(opened + 120);
  });

  it('keeps the counts of closed connections', () => {
    const traffic = new Traffic();
    const wire = new Wire();
    traffic.add(wire);
    wire.bytesRead = 100;
    const before = traffic.moved;

    wire.emit('close');

    expect(traffic.moved).toBe(before);
  });
});
