/** Tests that WebSocket watches are held, delivered and broken like any other watch when the gate is a proxy. */
import { connect } from 'node:tls';
import { afterEach, expect, it, vi } from 'vitest';
import { CONFIGMAPS_PATH, configMap } from 'stalemate-apiserver/testing';
import { FRONT_TOKEN, gatedRig, type GatedRig } from './proxy-testing.ts';

const WATCH = `${CONFIGMAPS_PATH}?watch=true&resourceVersion=1`;
const STREAM = 'controller/watch/configmaps/default#0';

let rig: GatedRig | undefined;
afterEach(async () => {
  await rig?.close();
  rig = undefined;
});

interface Client {
  readonly text: () => string;
  /** Returns the names of the received objects. */
  readonly names: () => readonly string[];
  readonly state: () => 'open' | 'closed' | 'broken';
  readonly send: (bytes: Buffer) => void;
}

/** Returns a client that is as strict as RFC 6455 permits: it accepts text frames of up to 64 KiB, one message each. */
function watchOver({ front: { port }, ca }: GatedRig, path: string): Client {
  const socket = connect({ host: '127.0.0.1', port, ca });
  let bytes = Buffer.alloc(0);
  let state: 'open' | 'closed' | 'broken' = 'open';
  socket.on('data', (piece: Buffer) => (bytes = Buffer.concat([bytes, piece])));
  socket.on('error', () => (state = 'broken'));
  socket.on('end', () => (state = state === 'open' ? 'closed' : state));
  socket.write(
    `GET ${path} HTTP/1.1\r\nHost: x\r\nOrigin: http://x\r\nAuthorization: Bearer ${FRONT_TOKEN}\r\n` +
      'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n',
  );
  const messages = (): readonly string[] => {
    const found: string[] = [];
    let at = bytes.indexOf('\r\n\r\n') + 4;
    while (at > 3 && at + 2 <= bytes.length && bytes[at] === 0x81) {
      const short = bytes[at + 1] ?? 0;
      const [size, head] = short < 126 ? [short, 2] : [bytes.readUInt16BE(at + 2), 4];
      found.push(bytes.subarray(at + head, at + head + size).toString());
      at += head + size;
    }
    return found;
  };
  return {
    text: () => bytes.toString('latin1'),
    names: () =>
      messages().map((text) => (JSON.parse(text) as { object: { metadata: { name: string } } }).object.metadata.name),
    state: () => state,
    send: (piece) => void socket.write(piece),
  };
}

const ended = (client: Client): Promise<void> => vi.waitFor(() => expect(client.state()).not.toBe('open'));

it('is one message per event', async () => {
  rig = await gatedRig();
  const watch = watchOver(rig, WATCH);
  await vi.waitFor(() => expect(watch.text()).toContain('Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n'));

  for (const name of ['a', 'b', 'c']) rig.request('POST', CONFIGMAPS_PATH, configMap(name));

  await vi.waitFor(() => expect(watch.names()).toEqual(['a', 'b', 'c']));
});

it('is held from the event that the schedule names', async () => {
  rig = await gatedRig({ holds: [{ stream: STREAM, from: '@1', until: 'heal' }] });
  const watch = watchOver(rig, WATCH);
  await vi.waitFor(() => expect(watch.text()).toContain('101 Switching Protocols'));

  for (const name of ['a', 'b']) rig.request('POST', CONFIGMAPS_PATH, configMap(name));

  const free = watchOver(rig, WATCH);
  await vi.waitFor(() => expect(free.names()).toEqual(['a', 'b']));
  expect(watch.names()).toEqual(['a']);
});

it('ends with a close frame when the server ends it', async () => {
  rig = await gatedRig();
  const watch = watchOver(rig, WATCH);
  await vi.waitFor(() => expect(watch.text()).toContain('101 Switching Protocols'));

  rig.server.closeWatches();

  await ended(watch);
  expect(watch.text().endsWith('\x88\x02\x03\xe8')).toBe(true);
});

it('is let go at the server when its client closes it', async () => {
  rig = await gatedRig();
  const watch = watchOver(rig, WATCH);
  await vi.waitFor(() => expect(watch.text()).toContain('101 Switching Protocols'));

  watch.send(Buffer.of(0x88, 0x80, 0, 0, 0, 0));

  await ended(watch);
  const { recorder } = rig;
  await vi.waitFor(() => expect(recorder.streamEnds).toMatchObject([{ stream: STREAM, why: 'aborted-by-actor' }]));
});

it('that is refused is answered as if no WebSocket had been asked for', async () => {
  rig = await gatedRig();
  const watch = watchOver(rig, `${WATCH}&resourceVersionMatch=Exact`);

  await ended(watch);

  expect(watch.text()).toMatch(/^HTTP\/1\.1 422 .*"kind":"Status"/s);
});
