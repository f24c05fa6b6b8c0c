/**
 * Exchanges for upgrade requests: watches over WebSockets, commands and ports. A refused request is answered as if it had not requested an
 * upgrade.
 */
import { createHash } from 'node:crypto';
import type { Duplex } from 'node:stream';
import { WatchSocket } from '../../wire/websocket.ts';
import { NO_BODY, type AnswerHeaders, type Connected, type Credential, type Exchange } from './exchange.ts';
import { become, type Upgrade } from './streams/become.ts';

const { STATUS_CODES } = process.getBuiltinModule('node:http');

export class UpgradeExchange implements Exchange {
  readonly method: string;
  readonly target: string;
  readonly headers: Exchange['headers'];
  readonly certified: Credential;
  readonly #socket: Duplex;
  readonly #watch: WatchSocket;
  readonly #upgrade: Upgrade;
  #started = false;
  #binary = false;

  constructor(upgrade: Upgrade, certified: Credential) {
    const { incoming, socket } = upgrade;
    const { method = 'GET', url = '/', headers } = incoming;
    this.#upgrade = upgrade;
    this.method = method;
    this.target = url;
    this.certified = certified;
    this.#socket = socket;
    this.#watch = new WatchSocket(socket, headers, (text) => createHash('sha1').update(text).digest('base64'));
    const { token } = this.#watch;
    this.headers =
      token === undefined || headers.authorization !== undefined
        ? headers
        : { ...headers, authorization: `Bearer ${token}` };
    socket.on('error', () => socket.destroy());
  }

  get full(): boolean {
    return this.#socket.writableNeedDrain;
  }

  get started(): boolean {
    return this.#started;
  }

  readBody(_bytesMax: number, done: (body: Buffer | undefined) => void): void {
    done(NO_BODY);
  }

  respond(code: number, headers: AnswerHeaders, body: string | Uint8Array): void {
    if (this.#started) return;
    this.#started = true;
    headers['content-length'] = typeof body === 'string' ? Buffer.byteLength(body) : body.length;
    headers['connection'] = 'close';
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${String(value)}\r\n`);
    this.#socket.write(`HTTP/1.1 ${code} ${STATUS_CODES[code] ?? ''}\r\n${lines.join('')}\r\n`);
    this.#socket.end(body);
  }

  become(session: Connected): boolean {
    if (!this.#started) {
      this.#started = true;
      become(session, this.#upgrade);
    }
    return true;
  }

  start(_code: number, headers: AnswerHeaders): void {
    this.#started = true;
    this.#binary = String(headers['content-type']).includes('protobuf');
    this.#watch.open();
  }

  write(piece: string | Uint8Array): void {
    this.#watch.send(typeof piece === 'string' ? Buffer.from(piece) : piece, this.#binary);
  }

  onDrain(listener: () => void): void {
    this.#socket.on('drain', listener);
  }

  end(): void {
    this.#watch.end();
  }

  abort(): void {
    this.#socket.destroy();
  }

  onClose(listener: () => void): void {
    if (this.#socket.destroyed) listener();
    else this.#socket.once('close', listener);
  }
}
