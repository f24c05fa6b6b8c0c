import { connect, createServer, type AddressInfo, type Server } from 'node:net';
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { openWay, placeAmong } from './way-in.ts';

async function listening(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

describe('the way of a pod to this machine', () => {
  it('is the gateway where that is ours, or a name that the engine has for us', () => {
    const own = new Set(['127.0.0.1', '172.18.0.1', '192.0.2.7']);

    expect(placeAmong(['172.18.0.1'], own)).toEqual({ address: '172.18.0.1', listen: '172.18.0.1' });
    // Rootless podman: the gateway is not an address of this machine, but the host name that podman defines is.
    expect(placeAmong(['10.89.0.1', '192.0.2.7'], own)).toEqual({ address: '192.0.2.7', listen: '192.0.2.7' });
    // A container engine in a virtual machine.
    expect(placeAmong(['172.18.0.1', '192.168.65.254'], new Set(['127.0.0.1']))).toEqual({
      address: '192.168.65.254',
      listen: '127.0.0.1',
    });
    expect(placeAmong(['172.18.0.1'], new Set(['127.0.0.1']))).toBeUndefined();
  });

  it('leads both ways, and ends with either end or when it is closed', async () => {
    const echo = createServer((socket) => void socket.pipe(socket));
    const way = await openWay({ address: '127.0.0.1', listen: '127.0.0.1' }, await listening(echo));
    const first = connect(way.port, way.host);
    first.write('hello');
    const [heard] = (await once(first, 'data')) as [Buffer];
    expect(heard.toString()).toBe('hello');

    way.close();

    await once(first, 'close');
    echo.close();
  });
});
