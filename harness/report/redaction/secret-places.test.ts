import { expect, it } from 'vitest';
import { isSecretKey } from './secret-places.ts';

it.each(['token', 'bearerToken', 'db-password', 'my_old-api_key', 'refresh-token', 'Authorization', 'x-client-secret'])(
  'takes %s for the key of a secret',
  (key) => {
    expect(isSecretKey(key, 'value')).toBe(true);
  },
);

it.each(['tokens', 'secretName', 'continue', 'token-type', '-token', 'a--token', 'api2token', 'passwordRef'])(
  'takes %s for no key of a secret',
  (key) => {
    expect(isSecretKey(key, 'value')).toBe(false);
  },
);

it('looks at a long key as quickly as at any other', () => {
  // If a word could match in two ways, this key would have 2 ** 60 matches.
  expect(isSecretKey('a'.repeat(60), 'value')).toBe(false);
});
