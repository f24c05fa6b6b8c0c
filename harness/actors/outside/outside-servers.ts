/**
 * The network around an incarnation of the target, outside the cluster: host names of declared servers, and unknown names.
 *
 * In its own network, a program resolves names through a DNS server on loopback. Declared names resolve to loopback addresses, where our
 * servers pass each request through the gate. All other names do not exist; looking one up is recorded. Owns: sockets. Does not own: the
 * answers (`apiserver/kubelet/declared.ts`). Start at {@link openOutsideServers}.
 */
import { createServer, type IncomingMessage, type Server as HttpServer, type ServerResponse } from 'node:http';
import type { Server, Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { type Identity, converse } from 'stalemate-apiserver/http';
import type { OutsideAnswer } from 'stalemate-apiserver/wire/declared-answers';
import type { ApiResponse, Method, Upstream } from 'stalemate-apiserver/wire/http';
import { fits } from 'stalemate-apiserver/wire/name-pattern';
import { outsidePath } from 'stalemate-apiserver/wire/outside-path';
import type { Enclosure } from '../process/enclosure.ts';
import { A, AAAA, answerOf, questionIn } from './dns.ts';

export interface OutsideServersOptions {
  readonly enclosure: Pick<Enclosure, 'listen' | 'names'>;
  readonly declared: readonly OutsideAnswer[];
  /** The target's own host name, which resolves to loopback. */
  readonly hostname?: string;
  readonly upstream: Upstream;
  /** Issues a certificate for a name. */
  readonly identity: (name: string) => Identity;
  /** Called when the target looks up a name. */
  readonly lookedUp: (name: string, isKnown: boolean) => void;
}

export interface OutsideServers {
  close(): void;
}

const ITSELF = '127.0.0.1';
/** The network of declared servers. */
const NETWORK = '127.77.0';

export async function openOutsideServers(options: OutsideServersOptions): Promise<OutsideServers> {
  const { enclosure, declared, lookedUp, hostname = '' } = options;
  const names = await enclosure.names();
  const hosts = [...new Set(declared.map(({ host }) => host))];
  const addresses = new Map(hosts.map((host, index) => [host, `${NETWORK}.${index + 1}`]));
  names?.removeAllListeners('message');
  names?.on('message', (message, { port, address: from }) => {
    const question = questionIn(message);
    if (question === undefined) return;
    if (hostname !== '' && isNamed(hostname, question.name)) {
      names.send(answerOf(question, ITSELF), port, from);
      return;
    }
    const host = hosts.find((one) => isNamed(one, question.name));
    if (question.type === A || question.type === AAAA) lookedUp(question.name, host !== undefined);
    names.send(answerOf(question, (host === undefined ? undefined : addresses.get(host)) ?? null), port, from);
  });
  const servers: Listening[] = [];
  for (const one of names === undefined ? [] : declared) {
    const socket = await enclosure.listen({ host: addresses.get(one.host) ?? '', port: one.port });
    if (socket !== undefined) servers.push(new Listening(socket, one, options));
  }
  return {
    close: () => {
      names?.removeAllListeners('message');
      for (const server of servers) server.close();
    },
  };
}

/** The suffixes that a Service name may have. */
const CLUSTER = /(?:\.svc(?:\.cluster\.local)?)?\.?$/;

function isNamed(host: string, name: string): boolean {
  return fits(host.replace(CLUSTER, ''), name.replace(CLUSTER, ''));
}

/** A declared server. */
class Listening {
  readonly #socket: Server;
  readonly #declared: OutsideAnswer;
  readonly #upstream: Upstream;
  readonly #http: HttpServer;
  readonly #open = new Set<Socket>();

  constructor(socket: Server, declared: OutsideAnswer, { upstream, identity }: OutsideServersOptions) {
    this.#socket = socket;
    this.#declared = declared;
    this.#upstream = upstream;
    this.#http = createServer((request, response) => this.#answer(request, response));
    const own = declared.tls === true ? identity(declared.host) : undefined;
    socket.on('connection', (connection) => {
      this.#open.add(connection);
      connection.once('close', () => this.#open.delete(connection));
      connection.on('error', () => connection.destroy());
      const stream =
        own === undefined
          ? connection
          : new TLSSocket(connection, { isServer: true, cert: own.certificate, key: own.key });
      stream.on('error', () => connection.destroy());
      if (declared.http === undefined) this.#speak(stream, connection);
      else this.#http.emit('connection', stream);
    });
  }

  close(): void {
    this.#socket.close();
    for (const connection of this.#open) connection.destroy();
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    request.resume();
    request.on('end', () => {
      const { method = 'GET', url = '/' } = request;
      const [path = '/', search = ''] = url.split('?', 2);
      const query = Object.fromEntries(new URLSearchParams(search));
      const cancel = this.#ask(
        method as Method,
        path,
        query,
        ({ code, headers, body }) => {
          const text = typeof body === 'string' ? body : JSON.stringify(body);
          response.sendDate = false;
          response.writeHead(code, { 'content-length': Buffer.byteLength(text), ...headers });
          response.end(text);
        },
        () => request.socket.destroy(),
      );
      response.once('close', () => {
        if (!response.writableFinished) cancel();
      });
    });
  }

  /** Serves a TCP connection as a single request. */
  #speak(stream: Socket, connection: Socket): void {
    stream.pause();
    const cancel = this.#ask(
      'GET',
      '',
      {},
      ({ code }) => {
        if (code !== 200) {
          connection.resetAndDestroy();
          return;
        }
        const conversation = converse(this.#declared, {
          say: (piece) => void stream.write(piece),
          end: () => void stream.end(),
        });
        stream.on('data', (piece: Buffer) => conversation.take(piece));
        stream.on('end', () => conversation.end());
        stream.resume();
      },
      () => connection.resetAndDestroy(),
    );
    connection.once('close', cancel);
  }

  #ask(
    method: Method,
    path: string,
    query: { readonly [key: string]: string },
    answer: (response: ApiResponse) => void,
    lost: () => void,
  ): () => void {
    const { host, port } = this.#declared;
    let over = false;
    const once =
      <Args extends readonly unknown[]>(then: (...args: Args) => void) =>
      (...args: Args): void => {
        if (!over) then(...args);
        over = true;
      };
    const cancel = this.#upstream.send(
      { method, path: outsidePath(host, port, path), query, headers: {} },
      { answer: once(answer), open: () => {}, event: () => {}, end: once(lost) },
    );
    return () => {
      if (over) return;
      over = true;
      cancel();
    };
  }
}
