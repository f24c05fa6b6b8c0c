import { hostname } from 'node:os';
import { expect, it } from 'vitest';
import { Lookups } from './lookups.ts';

it.each([
  ['Get "https://vault.example.com/v1": dial tcp: lookup vault.example.com on 127.0.0.1:53: no such host', 443],
  ['dial tcp vault.example.com:8200: no such host', 8200],
  ['Get "https://vault.example.com:8200/v1": lookup vault.example.com on 127.0.0.1:53: no such host', 8200],
  ['connecting to redis://user@vault.example.com', undefined],
  ['lookup vault.example.com failed', undefined],
])('reads the port off "%s"', (line, port) => {
  const lookups = new Lookups();
  lookups.printed('something else');
  lookups.missed('vault.example.com');
  lookups.printed(line);
  lookups.printed('vault.example.com:1 again');

  const [told = ''] = lookups.lines();
  expect(told).toContain(`it printed "${line}"`);
  expect(told).toContain(`port: ${port ?? '…'}`);
});

it('reports each name once, and says where nothing was printed', () => {
  const lookups = new Lookups();
  lookups.missed('a.example.com');
  lookups.missed('a.example.com');

  expect(lookups.lines()).toEqual([
    'the target looked up a.example.com, which does not resolve: it printed nothing about it; if it needs that, add answers: {outside: [{host: a.example.com, port: …, http: [{path: ".*", body: "…"}]}]} to the configuration',
  ]);
});

it('leaves out the host itself', () => {
  const lookups = new Lookups();
  lookups.missed(hostname().toLowerCase());
  lookups.missed('localhost');

  expect(lookups.lines()).toEqual([]);
});
