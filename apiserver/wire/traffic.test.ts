import { EventEmitter } from 'node:events';
import { describe, expect, it } from 'vitest';
import { Traffic } from './traffic.ts';

class Wire extends EventEmitter {
  bytesRead = 0;
  bytesWritten = 0;
}

describe('traffic', () => {
  it('grows when a connection is opened, and with each byte either way', () => {
    const traffic = new Traffic();
    const wire = new Wire();

    traffic.add(wire);
    const opened = traffic.moved;
    wire.bytesRead = 100;
    wire.bytesWritten = 20;

    expect(opened).toBeGreaterThan(0);
    expect(traffic.moved).toBe(opened + 120);
  });

  it('forgets nothing when a connection is closed', () => {
    const traffic = new Traffic();
    const wire = new Wire();
    traffic.add(wire);
    wire.bytesRead = 100;
    const before = traffic.moved;

    wire.emit('close');

    expect(traffic.moved).toBe(before);
  });
});
