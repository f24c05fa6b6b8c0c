import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { ask, NoAnswer } from './ask.ts';
import { MetricsOfTarget } from './read-reconciles.ts';

const opened: Server[] = [];
afterEach(() => {
  for (const server of opened.splice(0)) server.close();
});

/** Starts a server that sends this text on each connection. */
async function serverOf(text: string): Promise<{ readonly url: URL; readonly connections: () => number }> {
  let count = 0;
  const server = createServer((socket) => {
    count++;
    socket.on('error', () => {});
    if (text !== '') socket.write(text);
  });
  opened.push(server);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  return { url: new URL(`http://127.0.0.1:${port}/metrics`), connections: () => count };
}

const direct = {
  connect: async (port: number): Promise<Socket> => {
    const socket = connect(port, '127.0.0.1');
    await once(socket, 'connect');
    return socket;
  },
};
const HEAD = 'HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n';

describe('a request to a program', () => {
  it.each([
    ['does not answer', ''],
    ['sends the head of an answer only', HEAD],
    ['sends a part of an answer', `${HEAD}half`],
  ])('fails in time if the program %s', async (_, text) => {
    const { url } = await serverOf(text);

    await expect(ask(url, direct, 50)).rejects.toThrow(NoAnswer);
  });

  it('resolves with the whole answer', async () => {
    const { url } = await serverOf('HTTP/1.1 503 Busy\r\ncontent-length: 4\r\n\r\nwait');

    expect(await ask(url, direct, 10_000)).toEqual({ code: 503, body: 'wait' });
  });
});

describe('the metrics of a target', () => {
  it('are not read again once they have not come in time three times in a row', async () => {
    const { url, connections } = await serverOf('');
    const metrics = new MetricsOfTarget(50);

    for (let n = 0; n < 5; n++)
      expect(await metrics.read(url, direct)).toEqual({ metricsFailed: 'no answer within 50 ms' });

    expect(connections()).toBe(3);
  });

  it('are read again after another failure', async () => {
    const { url, connections } = await serverOf('HTTP/1.1 503 No\r\ncontent-length: 0\r\n\r\n');
    const metrics = new MetricsOfTarget();

    for (let n = 0; n < 2; n++) expect(await metrics.read(url, direct)).toEqual({ metricsFailed: 'it answered 503' });
    expect(connections()).toBe(2);
  });

  it.each([
    ['400 Bad Request', 'Client sent an HTTP request to an HTTPS server.\n', 'it serves TLS'],
    ['401 Unauthorized', '', 'it wants a token'],
  ])('say what is missing: %s', async (status, body, why) => {
    const { url } = await serverOf(`HTTP/1.1 ${status}\r\ncontent-length: ${body.length}\r\n\r\n${body}`);
    const { metricsFailed } = await new MetricsOfTarget().read(url, direct);

    expect(metricsFailed).toBe(
      `it answered ${status.slice(0, 3)}, because ${why} (--metrics-secure=false switches that off, if the target has it)`,
    );
  });
});
