import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { guardCluster, isLoopback } from './guard.ts';
import { readKubeconfig } from './kubeconfig-file.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'stalemate-kubeconfig-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

const base64 = (text: string): string => Buffer.from(text).toString('base64');

/** Writes a kubeconfig with contexts `kind-x` (for another cluster) and `local`. */
function written(user: object = {}, cluster: object = {}): string {
  const file = join(folder, 'config');
  const document = {
    'current-context': 'local',
    clusters: [
      { name: 'here', cluster: { server: 'https://127.0.0.1:6443', ...cluster } },
      { name: 'there', cluster: { server: 'https://prod.example.com' } },
    ],
    users: [{ name: 'me', user }],
    contexts: [
      { name: 'local', context: { cluster: 'here', user: 'me', namespace: 'team' } },
      { name: 'kind-x', context: { cluster: 'there', user: 'me' } },
    ],
  };
  writeFileSync(file, stringify(document));
  return file;
}

describe('a kubeconfig', () => {
  it('leads to its current context with certificates from the file and from files beside it', () => {
    writeFileSync(join(folder, 'client.key'), 'KEY');
    const file = written(
      { 'client-certificate-data': base64('CERT'), 'client-key': 'client.key' },
      { 'certificate-authority-data': base64('CA'), 'tls-server-name': 'api' },
    );

    expect(readKubeconfig(file)).toEqual({
      context: 'local',
      namespace: 'team',
      remote: {
        url: 'https://127.0.0.1:6443',
        ca: 'CA',
        serverName: 'api',
        clientCertificate: { certificate: 'CERT', key: 'KEY' },
      },
    });
  });

  it.each([
    [{ token: 'abc' }, 'Bearer abc'],
    [{ username: 'me', password: 'x:y' }, `Basic ${base64('me:x:y')}`],
    [{ tokenFile: 'token' }, 'Bearer from-file'],
  ])('authorizes by %j', (user, value) => {
    writeFileSync(join(folder, 'token'), 'from-file\n');

    expect(readKubeconfig(written(user)).remote.authorization?.()).toBe(value);
  });

  it.each([
    ['a context that is not there', () => readKubeconfig(written(), 'kind-y'), 'expected one of "local", "kind-x"'],
    ['a program for credentials', () => readKubeconfig(written({ exec: { command: 'aws' } })), 'uses "exec"'],
    ['a proxy', () => readKubeconfig(written({}, { 'proxy-url': 'http://p' })), 'uses "proxy-url"'],
    ['no file', () => readKubeconfig(join(folder, 'none')), 'does not exist, expected a file'],
  ])('is refused for %s', (_what, read, message) => {
    expect(read).toThrow(message);
  });
});

describe('the guard', () => {
  it('goes by where a context leads, not by its name', () => {
    const away = readKubeconfig(written(), 'kind-x');

    expect(() => guardCluster(away, false)).toThrow('"kind-x" points to prod.example.com');
    expect(() => guardCluster(away, false)).toThrow('--allow-context kind-x');
    expect(() => guardCluster(away, true)).not.toThrow();
    expect(() => guardCluster(readKubeconfig(written()), false)).not.toThrow();
  });

  it.each([
    ['https://127.0.0.1:6443', true],
    ['https://[::1]:6443', true],
    ['https://localhost', true],
    ['https://localhost.example.com', false],
    ['https://127.0.0.1.example.com', false],
    ['https://10.0.0.1', false],
  ])('takes %s for loopback: %s', (url, loopback) => {
    expect(isLoopback(url)).toBe(loopback);
  });
});
