/** Watches over WebSockets, byte by byte, because client libraries do not send some of these frames. */
import { connect, type Socket } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { CONFIGMAPS_PATH, testServer, widget, WIDGETS_PATH, type TestServer } from '../testing.ts';
import { parseTokens } from './authentication.ts';
import { serveHttp, type HttpServer } from './serve.ts';

const WATCH = `${WIDGETS_PATH}?watch=1`;
const ORIGIN = 'Origin: http://localhost';

let http: HttpServer | undefined;
let socket: Socket | undefined;

afterEach(async () => {
  socket?.destroy();
  await http?.close();
  http = socket = undefined;
});

async function serve(authenticated = false): Promise<TestServer> {
  const made = testServer();
  const tokens = parseTokens('secret,alice,\n', 'tokens');
  http = await serveHttp(made.server, authenticated ? { authentication: { tokens } } : {});
  return made;
}

class Client {
  readonly #socket: Socket;
  #bytes = Buffer.alloc(0);
  #ended = false;
  #wake = (): void => {};

  constructor(port: number) {
    socket = this.#socket = connect(port, '127.0.0.1');
    this.#socket.on('data', (piece) => {
      this.#bytes = Buffer.concat([this.#bytes, piece]);
      this.#wake();
    });
    this.#socket.on('close', () => {
      this.#ended = true;
      this.#wake();
    });
  }

  upgrade(target: string, ...headers: readonly string[]): void {
    const lines = [
      `GET ${target} HTTP/1.1`,
      'Host: localhost',
      'Connection: keep-alive, Upgrade',
      'Upgrade: websocket',
      'Sec-WebSocket-Version: 13',
      'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
      ...headers,
    ];
    this.#socket.write(`${lines.join('\r\n')}\r\n\r\n`);
  }

  send(opcode: number, payload: string): void {
    const mask = Buffer.of(1, 2, 3, 4);
    const masked = Buffer.from(payload).map((byte, at) => byte ^ (mask[at % 4] ?? 0));
    this.#socket.write(Buffer.concat([Buffer.of(opcode, 0x80 | masked.length), mask, masked]));
  }

  raw(bytes: Buffer): void {
    this.#socket.write(bytes);
  }

  /** Waits until the bytes that `enough` asks for have arrived, or the stream ends. */
  async #take(enough: (bytes: Buffer) => number): Promise<Buffer> {
    for (;;) {
      const size = this.#ended ? this.#bytes.length : enough(this.#bytes);
      if (size >= 0 && size <= this.#bytes.length) {
        const taken = this.#bytes.subarray(0, size);
        this.#bytes = this.#bytes.subarray(size);
        return taken;
      }
      await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }

  async head(): Promise<string> {
    const bytes = await this.#take((all) => {
      const end = all.indexOf('\r\n\r\n');
      return end < 0 ? -1 : end + 4;
    });
    return bytes.toString();
  }

  /** Reads one frame; returns its first byte and its payload. */
  async frame(): Promise<readonly [number, Buffer]> {
    const head = await this.#take(() => 2);
    const short = head[1] ?? 0;
    const size = short < 126 ? short : (await this.#take(() => 2)).readUInt16BE(0);
    return [head[0] ?? 0, await this.#take(() => size)];
  }

  async rest(): Promise<string> {
    return (await this.#take(() => -1)).toString();
  }
}

function client(): Client {
  return new Client(http?.port ?? 0);
}

it('sends one text message per event, as kube-apiserver does', async () => {
  const { request } = await serve();
  const one = client();
  one.upgrade(WATCH, ORIGIN);
  const head = await one.head();
  request('POST', WIDGETS_PATH, widget('a'));
  request('POST', WIDGETS_PATH, widget('b', { size: 1 }, { annotations: { long: 'x'.repeat(70_000) } }));

  const [opcode, payload] = await one.frame();

  expect(head).toContain('HTTP/1.1 101 Switching Protocols\r\n');
  expect(head).toContain('Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n');
  expect(opcode).toBe(0x81);
  expect(JSON.parse(payload.toString())).toMatchObject({ type: 'ADDED', object: { metadata: { name: 'a' } } });
  expect((await one.frame())[0]).toBe(0x81);
});

it('answers pings, ignores messages, and closes when asked to', async () => {
  await serve();
  const one = client();
  one.upgrade(WATCH, ORIGIN);
  await one.head();

  one.send(0x81, 'nobody reads this');
  one.send(0x89, 'still there?');
  expect(await one.frame()).toEqual([0x8a, Buffer.from('still there?')]);
  one.send(0x88, '\u0003\u00e8');

  expect(await one.frame()).toEqual([0x88, Buffer.of(0x03, 0xe8)]);
  expect(await one.rest()).toBe('');
});

it('closes the connection on unmasked frames, with the code for a protocol error', async () => {
  await serve();
  const one = client();
  one.upgrade(WATCH, ORIGIN);
  await one.head();

  one.raw(Buffer.of(0x81, 2, 104, 105));

  expect(await one.frame()).toEqual([0x88, Buffer.of(0x03, 0xea)]);
});

it('ends with a close frame when the watch is over', async () => {
  const { server } = await serve();
  const one = client();
  one.upgrade(WATCH, ORIGIN);
  await one.head();

  server.closeWatches();

  expect(await one.frame()).toEqual([0x88, Buffer.of(0x03, 0xe8)]);
});

it.each([
  ['without an origin', [], 'HTTP/1.1 403 Forbidden\r\n\r\n'],
  ['with two subprotocols', [ORIGIN, 'Sec-WebSocket-Protocol: a, b'], 'HTTP/1.1 400 Bad Request\r\n\r\n'],
])('refuses a handshake %s', async (_, headers, answer) => {
  await serve();
  const one = client();
  one.upgrade(WATCH, ...headers);

  expect(await one.head()).toBe(answer);
  expect(await one.rest()).toBe('');
});

it('echoes the one subprotocol', async () => {
  await serve();
  const one = client();
  one.upgrade(WATCH, ORIGIN, 'Sec-WebSocket-Protocol: mine');

  expect(await one.head()).toContain('Sec-WebSocket-Protocol: mine\r\n');
});

it.each([
  ['the right one', 'secret', ', mine', '101 Switching Protocols'],
  ['a wrong one', 'wrong', ', mine', '401 Unauthorized'],
  ['one that stands alone', 'secret', '', '401 Unauthorized'],
])('reads a bearer token from the subprotocols: %s', async (_, token, more, status) => {
  await serve(true);
  const one = client();
  const encoded = Buffer.from(token).toString('base64url');
  one.upgrade(WATCH, ORIGIN, `Sec-WebSocket-Protocol: base64url.bearer.authorization.k8s.io.${encoded}${more}`);

  const head = await one.head();

  expect(head).toContain(`HTTP/1.1 ${status}\r\n`);
  expect(head).not.toContain('bearer');
});

it('answers a non-watch or a refused watch as if no WebSocket had been requested', async () => {
  await serve();
  const plain = client();
  plain.upgrade(CONFIGMAPS_PATH);
  expect(await plain.head()).toContain('HTTP/1.1 200 OK\r\n');
  expect(await plain.rest()).toContain('"kind":"ConfigMapList"');

  const refused = client();
  refused.upgrade(`${CONFIGMAPS_PATH}?watch=1&resourceVersionMatch=Exact`, ORIGIN);
  expect(await refused.head()).toContain('HTTP/1.1 422 Unprocessable Entity\r\n');
});

it('tells its upstream when the client disconnects', async () => {
  let gone = (): void => {};
  const cancelled = new Promise<string>((resolve) => (gone = () => resolve('cancelled')));
  http = await serveHttp({
    send: (_request, sink) => {
      sink.open();
      return gone;
    },
  });
  const one = client();
  one.upgrade(WATCH, ORIGIN);
  await one.head();

  socket?.destroy();

  expect(await cancelled).toBe('cancelled');
});
