import { expect, it } from 'vitest';
import { DeclaredKubelet } from './declared.ts';

const MAIN = { namespace: 'n', pod: 'db-0', container: 'main' };

it.each([
  ['db-*', 'db-0', true],
  ['*-0', 'db-0', true],
  ['d*-*0', 'db-0', true],
  ['*', 'db-0', true],
  ['db-00*', 'db-0', false],
  ['db', 'db-0', false],
  ['*b-1*', 'db-0', false],
])('matches "%s" with the name %s: %s', (pattern, pod, expected) => {
  const kubelet = new DeclaredKubelet({ logs: [{ pod: pattern, text: 't' }] });

  expect(kubelet.log({ ...MAIN, pod }, false) !== undefined).toBe(expected);
});

it('uses the first matching command', () => {
  const kubelet = new DeclaredKubelet({
    exec: [
      { container: 'other', command: 'a', stdout: 'other' },
      { command: '^a b$', stdout: 'exact' },
      { command: 'a', stdout: 'any', exitCode: 1 },
    ],
  });

  expect(kubelet.command(MAIN, 'a b')?.('', true)).toEqual({ stdout: 'exact', stderr: '', exitCode: 0 });
  expect(kubelet.command(MAIN, 'a c')?.('', true)).toEqual({ stdout: 'any', stderr: '', exitCode: 1 });
  expect(kubelet.command(MAIN, 'c')).toBeUndefined();
});

it('selects by standard input, and waits while one may still match', () => {
  const kubelet = new DeclaredKubelet({
    exec: [
      { command: '^sh', stdin: 'create', stdout: 'created' },
      { command: '^sh', stdin: 'drop', stdout: 'dropped' },
      { command: '^sh', stdout: 'nothing' },
    ],
  });
  const run = kubelet.command(MAIN, 'sh');

  expect(run?.('dr', false)).toBeUndefined();
  expect(run?.('drop table', false)).toMatchObject({ stdout: 'dropped' });
  expect(run?.('select', true)).toMatchObject({ stdout: 'nothing' });
});

it('reports input without a declared answer', () => {
  const kubelet = new DeclaredKubelet({ exec: [{ command: '^sh', stdin: 'create' }] });

  expect(kubelet.command(MAIN, 'sh')?.('drop', true)).toMatchObject({ failed: expect.stringContaining('declared') });
  expect(kubelet.undeclared).toHaveLength(1);
});

it('remembers the commands in a pod until the next run', () => {
  const kubelet = new DeclaredKubelet({
    exec: [
      { command: 'CREATE ROLE', after: 'CREATE ROLE', stderr: 'exists', exitCode: 1 },
      { command: 'CREATE ROLE', stdout: 'created' },
    ],
  });
  const create = (pod: string): unknown => kubelet.command({ ...MAIN, pod }, 'psql -c CREATE ROLE')?.('', true);

  expect(create('db-0')).toMatchObject({ stdout: 'created' });
  expect(create('db-0')).toMatchObject({ exitCode: 1 });
  expect(create('db-1')).toMatchObject({ stdout: 'created' });
  kubelet.forget();
  expect(create('db-0')).toMatchObject({ stdout: 'created' });
});

it('remembers the requests of a server', () => {
  const kubelet = new DeclaredKubelet({
    outside: [
      {
        host: 'h',
        port: 1,
        http: [
          { method: 'GET', path: '/item', after: '^POST /item', body: 'there' },
          { method: 'GET', path: '/item', status: 404 },
          { method: 'POST', path: '/item', status: 201 },
        ],
      },
    ],
  });
  const ask = (method: 'GET' | 'POST'): number | undefined =>
    kubelet.outside({ method, path: '/outside.stalemate/h:1/item', query: {}, headers: {} })?.code;

  expect([ask('GET'), ask('POST'), ask('GET')]).toEqual([404, 201, 200]);
});

it('separates logs of a previous container', () => {
  const kubelet = new DeclaredKubelet({
    logs: [{ previous: true, text: 'before' }, { text: 'now' }],
  });

  expect([kubelet.log(MAIN, true)?.text, kubelet.log(MAIN, false)?.text]).toEqual(['before', 'now']);
});
