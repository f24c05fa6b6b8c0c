/** Ports of loopback that nobody listens on. They are chosen before they are bound, so that somebody else may get there first. */
import { createServer, type AddressInfo } from 'node:net';
import { listenAnywhere } from '../../wire/listen.ts';

export async function freePorts(count: number): Promise<readonly number[]> {
  const servers = Array.from({ length: count }, () => createServer());
  await Promise.all(servers.map((server) => listenAnywhere(server, '127.0.0.1')));
  const ports = servers.map((server) => (server.address() as AddressInfo).port);
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  return ports;
}
