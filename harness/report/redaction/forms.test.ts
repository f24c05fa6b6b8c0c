import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { namedValuesIn } from './named-values.ts';
import { Redaction } from './redaction.ts';
import { standInsOf, withSecrets } from './stand-in.ts';
import { FORMS, HARMLESS, NAMED, SECRETS, shownOf, TOKENS } from './test-secrets.ts';

const KEY = Buffer.alloc(32, 7);
const encoded = (text: string): string => Buffer.from(text).toString('base64');

function knowing(...secrets: readonly string[]): Redaction {
  const data = Object.fromEntries(secrets.map((secret, at) => [`key-${at}`, encoded(secret)]));
  return new Redaction(() => KEY).learn({ kind: 'Secret', data });
}

function restored(text: string, redaction: Redaction): string {
  return withSecrets(text, (standIn) => redaction.secretOf(standIn));
}

describe.each(Object.entries(SECRETS))('a secret (%s) in a text', (_, secret) => {
  it.each(Object.entries(FORMS))('is hidden %s, and restored to the letter', (_, form) => {
    const redaction = knowing(secret, 'another-secret-1');
    const text = form(secret);

    const hidden = redaction.hideText(text);

    expect(shownOf([secret], hidden)).toEqual([]);
    expect(standInsOf(hidden).length).toBeGreaterThan(0);
    expect(restored(hidden, redaction)).toBe(text);
    expect(redaction.hideText(hidden)).toBe(hidden);
  });
});

it('has one stand-in in all its forms, and its base64 decodes to it', () => {
  const { drawn = '' } = SECRETS;
  const redaction = knowing(drawn);
  const standIn = redaction.hideText(drawn);

  for (const form of Object.values(FORMS))
    for (const found of standInsOf(redaction.hideText(form(drawn))))
      expect(found.slice(0, standIn.length)).toBe(standIn);
  const user = redaction.hideText(encoded(`us:${drawn}`));
  expect(Buffer.from(user, 'base64').toString()).toBe(`us:${standIn}`);
  expect(Buffer.from(redaction.hideText(encoded(drawn)), 'base64').toString()).toBe(standIn);
});

describe('a token that no Secret holds', () => {
  const around = ['', 'got ', 'x\\n', '"', "token '", 'see /', 'key='];

  it.each(Object.entries(TOKENS))('is hidden by its format: %s', (_, token) => {
    for (const before of around) {
      const redaction = new Redaction(() => KEY);
      const text = `${before}${token}" and so on`;

      const hidden = redaction.hideText(text);

      expect(shownOf([token], hidden)).toEqual([]);
      expect(hidden).toContain('redacted-');
      expect(restored(hidden, redaction)).toBe(text);
    }
  });

  it.each(Object.entries(NAMED))('is hidden by what is before it: %s', (_, [before, secret, after]) => {
    const redaction = new Redaction(() => KEY);

    const hidden = redaction.hideText(before + secret + after);

    expect(hidden).not.toContain(secret);
    expect(hidden.startsWith(before.slice(0, 4)) || before.startsWith('AKIA')).toBe(true);
    expect(hidden.endsWith(after)).toBe(true);
    expect(restored(hidden, redaction)).toBe(before + secret + after);
  });

  it.each(HARMLESS)('is not seen in what is none: %s', (text) => {
    expect(new Redaction(() => KEY).hideText(text)).toBe(text);
  });

  it('is also hidden in names and labels, alike in all of them', () => {
    const { GitLab: token = '' } = TOKENS;
    const value = { name: token, label: `controller/get/things/default/${token}#0`, message: `no ${token}` };
    const redaction = new Redaction(() => KEY).learn(value);

    const hidden = redaction.hide(value);

    expect(JSON.stringify(hidden)).not.toContain(token);
    expect(hidden.label).toBe(`controller/get/things/default/${hidden.name}#0`);
    expect(hidden.message).toBe(`no ${hidden.name}`);
  });
});

describe('secrets inside a secret', () => {
  it.each([
    ['the password of a connection string', 'postgres://app:inner-pass-1@db/app', 'inner-pass-1'],
    ['the auth of a registry', JSON.stringify({ auths: { r: { auth: encoded('me:inner-pass-2') } } }), 'inner-pass-2'],
    ['the token of a kubeconfig', 'users:\n- name: a\n  user:\n    token: inner-pass-3\n', 'inner-pass-3'],
    ['a variable of a file', 'HOST=db\nexport DB_PASSWORD="inner-pass-4"\n', 'inner-pass-4'],
    ['the text without its line feed', 'inner-pass-5\n', 'inner-pass-5'],
  ])('are known by themselves: %s', (_, secret, inner) => {
    expect(knowing(secret).hideText(`used ${inner} today`)).toMatch(/^used redacted-[\w.-]+ today$/);
  });

  it('are the lines of a key, one by one', () => {
    const { 'private key': key = '' } = TOKENS;
    const [, line = ''] = key.split('\n');

    expect(knowing(key).hideText(line)).toMatch(/^redacted-/);
  });
});

describe('what is not taken for a secret', () => {
  it.each([
    ['a certificate', 'tls.crt', HARMLESS[0] ?? '', HARMLESS[0] ?? ''],
    ['a short word', 'mode', 'production', 'in production'],
    ['a number', 'port', '5432', 'port 5432 and 54320'],
    ['a name of an object', 'user', 'web', 'deployment web'],
    ['half of an address', 'host', 'https://registry.example.com/a', 'https://registry.example.org'],
  ])('%s', (_, key, secret, text) => {
    const value = { kind: 'Secret', data: { [key]: encoded(secret) }, items: [{ name: 'web' }] };
    const redaction = new Redaction(() => KEY).learn(value);

    expect(redaction.hideText(text)).toBe(text);
  });

  it('is still hidden as the base64 of a Secret is printed', () => {
    expect(knowing('swordfish').hideText(`reverted it to ${encoded('swordfish')}`)).not.toContain(encoded('swordfish'));
    expect(knowing('default').hideText(encoded('in default namespaces'))).toBe(encoded('in default namespaces'));
  });
});

it('gives every text back to whoever has the secrets, whatever it consists of', () => {
  const secrets = [...Object.values(SECRETS), 'swordfish', 'short1', 'with"quote\\', 'redacted', '/+/+/+'];
  const secret = fc.constantFrom(...secrets);
  const piece = fc.oneof(
    secret,
    fc.tuple(fc.constantFrom(...Object.values(FORMS)), secret).map(([form, of]) => form(of)),
    fc
      .tuple(fc.constantFrom(...Object.values(FORMS)), fc.constantFrom(...Object.values(FORMS)), secret)
      .map(([outer, inner, of]) => outer(inner(of))),
    fc.constantFrom(...Object.values(TOKENS), ...Object.values(NAMED).map((parts) => parts.join(''))),
    fc.constantFrom(...HARMLESS, '%', '%2', '\\', '"', '=', '==', '.', '-', 'a', '/', '+', '{', '}', 'password='),
    fc.string({ maxLength: 8 }),
  );
  const check = fc.property(fc.array(piece, { maxLength: 6 }), (pieces) => {
    const text = pieces.join('');
    const redaction = knowing(...secrets);

    const hidden = redaction.hideText(text);

    expect(restored(hidden, redaction)).toBe(text);
    expect(restored(redaction.hideText(JSON.stringify({ text })), redaction)).toBe(JSON.stringify({ text }));
  });
  fc.assert(check, { numRuns: 150, seed: 7 });
});

it('takes what a value says for a part of it', () => {
  expect(namedValuesIn('password='.repeat(1000))).toHaveLength(1);
});

it.each([
  ['addresses', 'a.a-a+a://'],
  ['web tokens', 'eyJ'],
  ['beginnings of keys', '-----BEGIN RSA PRIVATE KEY-----'],
  ['keywords', 'password='],
  ['quotes', 'password="\\"'],
  ['base64', 'cmVkYWN0ZWQtcTdYdzJ2'],
  ['halves', 'q7Xw2vPz'],
  ['escapes', '\\u0071%71'],
  ['flags', '--token -'],
])('takes time with the length of a text of %s, and not with its square', (_, part) => {
  const text = part.repeat(Math.ceil(150_000 / part.length));

  expect(knowing(SECRETS['drawn'] ?? '').hideText(text).length).toBeGreaterThan(0);
});
