/** Secrets for tests, in every spelling that must be found, and tokens of well-known formats. */

const base64 = (text: string): string => Buffer.from(text).toString('base64');
const unpadded = (text: string): string => text.replace(/=+$/, '');
const urlSafe = (text: string): string => text.replaceAll('+', '-').replaceAll('/', '_');
const hex = (text: string): string => Buffer.from(text).toString('hex');
const inJson = (text: string): string => JSON.stringify(text).slice(1, -1);
const asUnicode = (text: string): string =>
  [...text].map((one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`).join('');
/** Escapes like Go's `url.QueryEscape`, which escapes more than `encodeURIComponent`. */
const escaped = (text: string): string =>
  [...Buffer.from(text)]
    .map((byte) =>
      /[\w.~-]/.test(String.fromCharCode(byte)) ? String.fromCharCode(byte) : `%${byte.toString(16).toUpperCase()}`,
    )
    .join('');

/** Texts that contain a secret, by the name of its spelling. */
export const FORMS: { readonly [form: string]: (secret: string) => string } = {
  plain: (secret) => `login with ${secret} failed`,
  base64: (secret) => `got ${base64(secret)}`,
  'base64 without padding': (secret) => `got ${unpadded(base64(secret))}, expected another`,
  'base64 for URLs': (secret) => `/callback?state=${unpadded(urlSafe(base64(secret)))}`,
  'base64 behind a user of one character': (secret) => `x-auth ${base64(`u:${secret}`)}`,
  'base64 behind a user of two characters': (secret) => `x-auth ${base64(`us:${secret}`)}`,
  'base64 behind a user of three characters': (secret) => `x-auth ${base64(`usr:${secret}`)} and more`,
  'base64 of JSON': (secret) => base64(JSON.stringify({ user: 'app', phrase: secret, more: true })),
  'base64 of base64': (secret) => base64(base64(secret)),
  'base64 of a manifest': (secret) => base64(JSON.stringify({ kind: 'Config', value: base64(secret) })),
  hex: (secret) => `0x${hex(secret)}`,
  'upper hex': (secret) => `bytes ${hex(secret).toUpperCase()}`,
  'URL-encoded': (secret) => `GET /login?p=${encodeURIComponent(secret)}&next=1`,
  'URL-encoded as Go does': (secret) => `GET /login?p=${escaped(secret)}`,
  'URL-encoded in lower case': (secret) => `p=${escaped(secret).replaceAll(/%../g, (one) => one.toLowerCase())}`,
  'URL-encoded with a plus': (secret) => `q=1&p=${escaped(secret).replaceAll('%20', '+')}`,
  'URL-encoded twice': (secret) => `next=${encodeURIComponent(encodeURIComponent(secret))}`,
  'in JSON': (secret) => JSON.stringify({ msg: 'login', phrase: secret }),
  'in JSON with spaces': (secret) => JSON.stringify({ msg: 'login', phrase: secret }, null, 2),
  'in JSON in JSON': (secret) => JSON.stringify({ body: JSON.stringify({ phrase: secret }) }, null, 1),
  'in a log line in JSON': (secret) => `2026-01-01 INFO ${JSON.stringify({ phrase: `is ${secret}` })}`,
  'in JSON by code points': (secret) => `{"phrase":"${asUnicode(secret)}" }`,
  'in a connection string': (secret) => `postgres://app:${encodeURIComponent(secret)}@db:5432/app?sslmode=require`,
  'in an ADO string': (secret) => `Server=db;User Id=app;Password=${secret};Encrypt=true`,
  'in a libpq string': (secret) => `host=db user=app password='${secret}' dbname=app`,
  'in a flag': (secret) => `exec ./manager --admin-password=${secret} --port=1`,
  'first half': (secret) => `begins with ${secret.slice(0, Math.floor(secret.length / 2))}…`,
  'second half': (secret) => `ends with ${secret.slice(Math.floor(secret.length / 2))}`,
  'most of it': (secret) => `cut ${secret.slice(0, -2)}`,
  'half of its base64': (secret) => `cut ${base64(secret).slice(0, Math.ceil(base64(secret).length / 2) + 1)}`,
};

/** Sixteen characters or more, so that parts count. */
export const SECRETS: { readonly [name: string]: string } = {
  drawn: 'q7Xw2vPz9LkT4mNs',
  spelled: 'correct-horse-7-battery',
  punctuated: 'Tr0ub4dor&3 "quoted"/\\+%= end',
  /** Its base64 contains both characters in which the two alphabets differ. */
  signs: 'a>?>~?>~?~9Zb>?>~?>~?',
  foreign: 'pässwörd-ключ-0815-ÿ',
};

/** Returns what a text still contains of the secrets: at least eight consecutive characters, in any encoding. */
export function shownOf(secrets: readonly string[], text: string): readonly string[] {
  const parts = new Set<string>();
  for (const secret of secrets)
    for (const spelling of [
      secret,
      ...[base64(secret), hex(secret), hex(secret).toUpperCase(), escaped(secret), encodeURIComponent(secret)],
      ...[inJson(secret), asUnicode(secret), base64(`u:${secret}`), base64(`us:${secret}`), base64(base64(secret))],
    ])
      for (let at = 0; at + SHOWN_MIN <= spelling.length; at++) parts.add(spelling.slice(at, at + SHOWN_MIN));
  const found = new Set<string>();
  for (let at = 0; at + SHOWN_MIN <= text.length; at++) {
    const part = text.slice(at, at + SHOWN_MIN);
    if (parts.has(part)) found.add(part);
  }
  return [...found];
}

const SHOWN_MIN = 8;

const letters = (length: number): string => 'aB3dE5gH7jK9mN1pQ2rS4tU6vW8xY0z'.repeat(4).slice(0, length);
const upper = (length: number): string => letters(length).toUpperCase();
const jwt = (header: object): string =>
  [header, { sub: 'system:serviceaccount:default:web', aud: ['https://kubernetes.default.svc'] }]
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.');
const pem = (label: string): string =>
  [`-----BEGIN ${label}-----`, letters(64), letters(64), `${letters(20)}==`, `-----END ${label}-----`].join('\n');

/** Tokens, assembled here so that secret scanners do not report them. */
export const TOKENS: { readonly [name: string]: string } = {
  ...Object.fromEntries([...'pousr'].map((kind) => [`GitHub gh${kind}`, `gh${kind}_${letters(36)}`])),
  'GitHub fine-grained': `github_pat_${letters(22)}_${letters(59)}`,
  GitLab: `glpat-${letters(20)}`,
  'AWS access key id': `AKIA${upper(16)}`,
  'AWS temporary key id': `ASIA${upper(16)}`,
  'Google API key': `AIza${letters(35)}`,
  'Slack bot': `xoxb-123456789012-1234567890123-${letters(24)}`,
  'Slack user': `xoxp-123456789012-${letters(32)}`,
  'Slack app': `xapp-1-A0123456789-${letters(30)}`,
  'Slack refresh': `xoxr-${letters(30)}`,
  'Slack workspace': `xoxa-2-${letters(30)}`,
  npm: `npm_${letters(36)}`,
  JWT: `${jwt({ alg: 'RS256', kid: 'key-1' })}.${letters(64)}`,
  'JWT without signature': `${jwt({ typ: 'JWT', alg: 'none' })}.`,
  'private key': pem('RSA PRIVATE KEY'),
  'private key of OpenSSH': pem('OPENSSH PRIVATE KEY'),
  'private key in JSON': inJson(pem('PRIVATE KEY')),
};

/** Texts whose middle part is recognised as a secret by the words before it. */
export const NAMED: { readonly [name: string]: readonly [before: string, secret: string, after: string] } = {
  'a header': ['Authorization: Bearer ', letters(20), ''],
  'basic credentials': ['> Authorization: Basic ', base64('app:pw'), '\n> Accept: */*'],
  'a header in a map of Go': ['map[Accept:[*/*] Authorization:[Bearer ', letters(16), ']]'],
  'a header in JSON': ['{"headers":{"Authorization":"token ', letters(16), '"}}'],
  'a bearer in a sentence': ['refused: bearer ', letters(24), ' is not known'],
  'a webhook of Slack': [
    'POST https://hooks.slack.com/services',
    `/T0${upper(7)}/B0${upper(7)}/${letters(24)}`,
    ' 500',
  ],
  'an AWS key': ['aws_secret_access_key = ', `${letters(30)}/+${letters(8)}`, '\nregion = eu-1'],
  'an AWS key in JSON': ['{"AccessKeyId":"x","SecretAccessKey":"', letters(40), '"}'],
  'an AWS key beside its id': [`AKIA${upper(16)}:`, `${letters(32)}/${letters(7)}`, ' ok'],
  'a password in an address': ['amqp://app:', 'hunter2', '@mq:5672/'],
  'a password without user': ['redis://:', 's3cr3t!', '@cache:6379'],
  'a password in a file': ['server:\n  port: 1\n  password: ', 'hunter2', '\n  user: app'],
  'a password in a log line': ['{"level":"info","msg":"dial","password":"', 'hun"ter2'.replace('"', '\\"'), '"}'],
  'an account key': ['DefaultEndpointsProtocol=https;AccountName=a;AccountKey=', `${letters(43)}=`, ';Suffix=x'],
  'a flag': ['running ./manager --client-secret ', 's3cr3t-value', ' --port 1'],
};

/** Texts that resemble secrets but are not. */
export const HARMLESS: readonly string[] = [
  pem('CERTIFICATE'),
  pem('PUBLIC KEY'),
  base64(pem('CERTIFICATE')),
  'registry.example.com/web@sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  '5f0e6ab1-2b1c-4e5c-9d2e-0a1b2c3d4e5f',
  'tasks disk-proj-0123456789 task-anthropology-department-0',
  'the key: a framework for monkeys, they say "eyJ" and eyes',
  'secret="default/db" not found',
  'use a Bearer token or Basic auth',
  'postgres://app:$(DB_PASSWORD)@db/app and https://user:%s@host and http://host:8080/a@b',
  'password=$(PASSWORD) token=<nil> apiKey: null password=***',
  'continue-token=abcdefgh nextPageToken=abc publicKey=abcdefgh',
  'kubernetes.io/service-account-token',
];
