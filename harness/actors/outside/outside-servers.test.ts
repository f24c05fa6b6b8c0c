/** Host names outside of the cluster, as resolved by a program in a network namespace of its own. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CertificateAuthority } from 'stalemate-apiserver/http';
import { testServer } from 'stalemate-apiserver/testing';
import type { OutsideAnswer } from 'stalemate-apiserver/wire/declared-answers';
import type { Upstream } from 'stalemate-apiserver/wire/http';
import { openEnclosure, type Enclosure } from '../process/enclosure.ts';
import { openOutsideServers, type OutsideServers } from './outside-servers.ts';

const enclosure: Enclosure = await openEnclosure({ network: 'none', fileSystem: 'host' });
const mayOpen = enclosure.network === 'none' && (await enclosure.names()) !== undefined;

const DECLARED: readonly OutsideAnswer[] = [
  { host: 'vault.example.com', port: 8200, tls: true, http: [{ path: '/v1/health\\?a=b', body: '{"ok":true}' }] },
  { host: 'db.default.svc', port: 6379, tcp: [{ expect: 'PING', send: '+PONG\r\n' }] },
];

const HEAD = `
const { Resolver } = require('node:dns').promises;
const resolver = new Resolver();
resolver.setServers(['127.0.0.1']);
const addressOf = async (name) => (await resolver.resolve4(name))[0];
`;

describe.skipIf(!mayOpen)('with a network namespace', () => {
  const authority = new CertificateAuthority();
  let servers: OutsideServers;
  let lookedUp: string[];
  let upstream: Upstream;
  let undeclared: () => readonly { readonly of: string }[];

  beforeEach(async () => {
    lookedUp = [];
    const { server } = testServer({ kubelet: { outside: DECLARED } });
    upstream = server;
    undeclared = () => server.undeclared();
    servers = await openOutsideServers({
      enclosure,
      declared: DECLARED,
      hostname: 'manager-0',
      upstream: { send: (request, sink) => upstream.send(request, sink) },
      identity: (name) => authority.issueServer([name]),
      lookedUp: (name, isKnown) => lookedUp.push(`${name} ${isKnown}`),
    });
  });

  afterEach(() => servers.close());

  async function inside(script: string): Promise<string> {
    const [program, ...args] = enclosure.enter;
    const all = [...args, process.execPath, '-e', HEAD + script];
    const { stdout } = await promisify(execFile)(program ?? '', all, { timeout: 30_000 });
    return stdout.trim();
  }

  it('leads a declared name to a server with a certificate for it', async () => {
    const script = (path: string): string => `
      addressOf('vault.example.com').then((host) => require('node:https').get(
        { host, port: 8200, path: '${path}', servername: 'vault.example.com', ca: ${JSON.stringify(authority.certificate)} },
        (response) => response.on('data', (body) => console.log(response.statusCode + ' ' + body)),
      ));`;

    expect(await inside(script('/v1/health?a=b'))).toBe('200 {"ok":true}');
    expect(await inside(script('/v1/else'))).toBe('404 no answer is declared for GET /v1/else');
    expect(lookedUp).toEqual(['vault.example.com true', 'vault.example.com true']);
    expect(undeclared().map(({ of }) => of)).toEqual(['GET /v1/else']);
  });

  it.each(['db.default.svc', 'db.default', 'db.default.svc.cluster.local'])('knows a Service as %s', async (name) => {
    const script = `
      addressOf('${name}').then((host) => {
        const socket = require('node:net').connect(6379, host, () => socket.write('PING'));
        socket.on('data', (answer) => { console.log(String(answer)); socket.destroy(); });
      });`;

    expect(await inside(script)).toBe('+PONG');
  });

  it('says of other names that there are none, and reports them', async () => {
    expect(await inside(`addressOf('else.example.com').catch(({ code }) => console.log(code));`)).toBe('ENOTFOUND');
    expect(lookedUp).toEqual(['else.example.com false']);
  });

  it('leads the name of its host to itself, and reports nothing', async () => {
    expect(await inside(`addressOf('manager-0').then(console.log);`)).toBe('127.0.0.1');
    expect(lookedUp).toEqual([]);
  });

  it('breaks a connection whose answer is lost', async () => {
    upstream = {
      send: (_, sink) => {
        sink.end({ code: 'ECONNRESET', message: 'socket hang up' });
        return () => {};
      },
    };
    const script = `
      addressOf('db.default.svc').then((host) => {
        require('node:net').connect(6379, host).on('error', ({ code }) => console.log(code));
      });`;

    expect(await inside(script)).toBe('ECONNRESET');
  });
});
