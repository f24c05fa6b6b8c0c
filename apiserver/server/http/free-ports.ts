/** Free ports on loopback. They are chosen before they are bound, so another process may take one first. */
import { createServer, type AddressInfo } from 'node:net';
import { listenAnywhere } from '../../wire/listen.ts';

export async function freePorts(count: number): Promise<readonly number[]> {
  const servers = Array.from({ length: count }, () => createServer());
  await Promise.all(servers.map((server) => listenAnywhere(server, '127.0.0.1')));
  const ports = servers.map((server) => (server.address() as AddressInfo).port);
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  return ports;
}
