import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { MessageChannel } from 'node:worker_threads';
import { expect, it } from 'vitest';
import { closeWhenAsked } from './closing.ts';

it('closes what is open, on both ends, and what is opened afterwards', async () => {
  const { port1, port2 } = new MessageChannel();
  closeWhenAsked(port2);
  const accepted: Socket[] = [];
  const server = createServer((socket) => void accepted.push(socket)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const client = connect(port, '127.0.0.1').on('error', () => {});
  await once(server, 'connection');
  expect([client.destroyed, accepted[0]?.destroyed]).toEqual([false, false]);

  port1.postMessage('close');
  expect(await once(port1, 'message')).toEqual(['closed']);

  expect([client.destroyed, accepted[0]?.destroyed]).toEqual([true, true]);
  const later = connect(port, '127.0.0.1').on('error', () => {});
  await once(later, 'close');
  port1.close();
  server.close();
});
