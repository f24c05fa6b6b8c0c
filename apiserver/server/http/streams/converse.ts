/** One connection to a declared port: HTTP, or a line-based protocol. */
import { Duplex } from 'node:stream';
import type { HttpAnswer, Speech, TcpLine } from '../../../wire/declared-answers.ts';
import { headersOf, httpAnswerTo } from '../../../wire/declared-http.ts';
import { goRegExp } from '../../../wire/go-regexp.ts';

const { createServer } = process.getBuiltinModule('node:http');

/** The server's end of the connection. */
export interface Conversation {
  /** Receives bytes from the client. */
  take(piece: Uint8Array): void;
  /** Called at the end of the client's data. */
  end(): void;
}

/** Receives the port's output. */
export interface Listener {
  say(piece: Uint8Array): void;
  end(): void;
}

/** Reports HTTP requests without a declared answer. */
export type Unanswered = (method: string, path: string) => void;

export function converse(speech: Speech, client: Listener, unanswered: Unanswered = () => {}): Conversation {
  return speech.http === undefined ? lines(speech.tcp ?? [], client) : overHttp(speech.http, client, unanswered);
}

function lines(declared: readonly TcpLine[], client: Listener): Conversation {
  let next = 0;
  let received = '';
  let over = false;
  const goOn = (): void => {
    for (let line = declared[next]; line !== undefined && !over; line = declared[next]) {
      if (line.expect !== undefined && goRegExp(line.expect)?.test(received) !== true) return;
      if (line.expect !== undefined) received = '';
      next++;
      if (line.send !== undefined) client.say(Buffer.from(line.send, 'latin1'));
      if (line.close === true) end();
    }
  };
  const end = (): void => {
    if (over) return;
    over = true;
    client.end();
  };
  goOn();
  return {
    take: (piece) => {
      received += Buffer.from(piece).toString('latin1');
      goOn();
    },
    end,
  };
}

function overHttp(answers: readonly HttpAnswer[], client: Listener, unanswered: Unanswered): Conversation {
  const connection = new Duplex({
    read: () => {},
    write: (piece: Uint8Array, _encoding, done) => {
      client.say(piece);
      done();
    },
    final: (done) => {
      client.end();
      done();
    },
  });
  connection.on('error', () => connection.destroy());
  const server = createServer((request, response) => {
    const asked = { method: request.method ?? 'GET', path: request.url ?? '/' };
    // Consumes the body, so that the next request starts after it.
    request.resume();
    request.on('end', () => {
      const answer = httpAnswerTo(answers, asked);
      if (answer === undefined) unanswered(asked.method, asked.path);
      const { status = 200, body = '' } = answer ?? {
        status: 404,
        body: `no answer is declared for ${asked.method} ${asked.path}\n`,
      };
      // Answers have no Date header, because runs are compared byte for byte.
      response.sendDate = false;
      response.writeHead(status, {
        'content-length': Buffer.byteLength(body),
        ...(answer === undefined ? {} : headersOf(answer)),
      });
      response.end(body);
    });
  });
  server.emit('connection', connection);
  return {
    take: (piece) => void connection.push(piece),
    end: () => void connection.push(null),
  };
}
