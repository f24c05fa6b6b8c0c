/**
 * Secrets that are known by their format, wherever they are and whether or not a Secret holds them.
 *
 * Owns: the formats of tokens, JSON web tokens and private keys. Certificates and public keys are none. Does not own: what is known by the
 * name before it (`named-values.ts`). Every look is linear in the text.
 */
import { stableSpellings, type Offset } from './base64-text.ts';

export interface Range {
  readonly start: number;
  readonly end: number;
}

/** No letter or digit before it, but that of an escape: in a text in JSON a token may come after `\\n`. */
const BOUNDARY = '(?<!(?<!\\\\)[A-Za-z0-9])';
/**
 * Prefixes say what a token is, and those that words may end with ask for a boundary before them. Lengths are the least that is issued today, or less.
 */
const TOKENS = new RegExp(
  [
    // GitHub, GitLab.
    'gh[pousr]_[A-Za-z0-9]{20,}|github_pat_\\w{20,}',
    `${BOUNDARY}gl(?:pat|dt|rt|cbt|ptt|ft|imt|agent|soat|oas|ffct)-[\\w-]{16,}`,
    // AWS: the id, and the key beside it.
    '(?<![A-Z0-9])A(?:KIA|SIA|BIA|CCA)[A-Z0-9]{16}(?![A-Z0-9])',
    // Google: API keys, OAuth.
    'AIza[\\w-]{35}|ya29\\.[\\w-]{20,}|GOCSPX-[\\w-]{20,}',
    // Slack.
    'xox[abeoprs]-[\\w-]{8,}|xapp-\\d-[\\w-]{8,}',
    // Registries, payments, vaults, models.
    'npm_[A-Za-z0-9]{36}|dckr_(?:pat|oat)_[\\w-]{16,}|pypi-[\\w-]{50,}',
    `${BOUNDARY}[rs]k_(?:live|test)_[A-Za-z0-9]{10,}|${BOUNDARY}hv[sbr]\\.[\\w-]{20,}`,
    `${BOUNDARY}sk-(?:ant|proj|svcacct)-[\\w-]{16,}`,
    'AGE-SECRET-KEY-1[A-Z0-9]{50,}',
  ].join('|'),
  'g',
);
const BEGIN = '-----BEGIN ';
/** The address of a Slack webhook, of which the path is the secret; slashes may be escaped. */
const SLACK_HOOK =
  /hooks\.slack(?:-gov)?\.com(?:\\*\/|%2[Ff])(?:services|workflows|triggers)((?:(?:\\*\/|%2[Ff])[\w-]+)+)/g;
const AWS_PAIR = /(?<![A-Z0-9])A(?:KIA|SIA)[A-Z0-9]{16}[\s:,;"'\\/|]{1,6}([A-Za-z0-9/+]{40})(?![A-Za-z0-9/+])/g;

const LETTERS = [...'abcdefghijklmnopqrstuvwxyz'];

/** One of these is in every text that has such a secret; at least four characters each. */
export const FORMAT_HINTS: readonly string[] = [
  ...[...'pousr'].map((kind) => `gh${kind}_`),
  'github_pat_',
  ...['pat', 'dt', 'rt', 'cbt', 'ptt', 'ft', 'imt', 'agent', 'soat', 'oas', 'ffct'].map((kind) => `gl${kind}-`),
  ...['AKIA', 'ASIA', 'ABIA', 'ACCA', 'AIza', 'ya29.', 'GOCSPX-'],
  ...[...'abeoprs'].map((kind) => `xox${kind}-`),
  ...['xapp-', 'hooks.slack', 'npm_', 'dckr_', 'pypi-', 'sk_l', 'sk_t', 'rk_l', 'rk_t', 'hvs.', 'hvb.', 'hvr.'],
  ...['sk-a', 'sk-p', 'sk-s', 'AGE-SECRET-KEY-1'],
  // How JSON objects begin in base64: with a key, a space or the end of a line.
  ...LETTERS.map((letter) => Buffer.from(`{"${letter}`).toString('base64')),
  ...['ewog', 'ewoJ', 'ew0K', 'eyAi'],
  BEGIN,
  ...stableSpellings(Buffer.from(BEGIN)).map(({ text }) => text),
];

/** Where in a text such secrets are. */
export function formatsIn(text: string): readonly Range[] {
  const found: Range[] = [];
  for (const { 0: token, index } of text.matchAll(TOKENS)) found.push({ start: index, end: index + token.length });
  for (const pattern of [SLACK_HOOK, AWS_PAIR])
    for (const { 0: all, 1: secret = '', index } of text.matchAll(pattern)) {
      const end = index + all.length;
      found.push({ start: end - secret.length, end });
    }
  return [...found, ...webTokensIn(text), ...privateKeysIn(text)];
}

const WEB_TOKEN = /ey[JA]|ew[o0]/g;
const URL_SAFE = /[\w-]/;
/** Starts that are tried in one stretch of letters; more are no token, and would take time with its square. */
const STARTS_MAX = 8;

/** Three parts with dots between them, of which the first one decodes to JSON that names an algorithm. */
function webTokensIn(text: string): readonly Range[] {
  const found: Range[] = [];
  let [stretchEnd, tries] = [0, 0];
  for (let at = webTokenStart(text, 0); at >= 0;) {
    if (at >= stretchEnd) [stretchEnd, tries] = [partEnd(text, at), 0];
    const end = tries++ < STARTS_MAX ? webTokenEnd(text, at, stretchEnd) : undefined;
    if (end !== undefined) found.push({ start: at, end });
    at = webTokenStart(text, end ?? (tries < STARTS_MAX ? at + 1 : stretchEnd));
  }
  return found;
}

/** `{"`, and `{` with a space or the end of a line, in base64. */
function webTokenStart(text: string, from: number): number {
  WEB_TOKEN.lastIndex = from;
  return WEB_TOKEN.exec(text)?.index ?? -1;
}

function webTokenEnd(text: string, at: number, headerEnd: number): number | undefined {
  if (text[headerEnd] !== '.') return undefined;
  const payloadEnd = partEnd(text, headerEnd + 1);
  if (payloadEnd === headerEnd + 1 || text[payloadEnd] !== '.' || !namesAlgorithm(text.slice(at, headerEnd)))
    return undefined;
  let end = partEnd(text, payloadEnd + 1);
  // Encrypted ones have five parts.
  for (let parts = 3; parts < 5 && text[end] === '.'; parts++) end = partEnd(text, end + 1);
  return text[end - 1] === '.' ? end - 1 : end;
}

function partEnd(text: string, from: number): number {
  let end = from;
  while (end < text.length && URL_SAFE.test(text[end] ?? '')) end++;
  return end;
}

function namesAlgorithm(header: string): boolean {
  try {
    const json: unknown = JSON.parse(Buffer.from(header, 'base64url').toString('utf8'));
    return json !== null && typeof json === 'object' && 'alg' in json;
  } catch {
    return false;
  }
}

const LABEL_MAX = 60;

/** From the first dash to the last one; one that was cut off goes on to the end. */
function privateKeysIn(text: string): readonly Range[] {
  const found: Range[] = [];
  for (let at = text.indexOf(BEGIN); at >= 0;) {
    const labelEnd = text.indexOf('-----', at + BEGIN.length);
    const label = labelEnd < 0 ? '' : text.slice(at + BEGIN.length, labelEnd);
    let next = at + BEGIN.length;
    if (label.length <= LABEL_MAX && label.includes('PRIVATE KEY')) {
      const last = `-----END ${label}-----`;
      const end = text.indexOf(last, labelEnd);
      next = end < 0 ? text.length : end + last.length;
      found.push({ start: at, end: next });
    }
    at = text.indexOf(BEGIN, next);
  }
  return found;
}

/** Which of several lines are the body of a private key that began on an earlier one; its first line ends with the text above. */
export function keyLinesIn(lines: readonly string[]): readonly number[] {
  const found: number[] = [];
  let inKey = false;
  for (const [at, line] of lines.entries()) {
    // Where it was cut off, what follows is no longer of a key.
    if (inKey && !line.includes(END) && !KEY_LINE.test(line)) inKey = false;
    if (inKey) found.push(at);
    const begins = line.lastIndexOf(BEGIN);
    if (line.includes(END, Math.max(0, begins))) inKey = false;
    else if (begins >= 0) inKey = line.slice(begins).includes('PRIVATE KEY');
  }
  return found;
}

const END = '-----END ';
/** Base64, what older formats say before it, or nothing. */
const KEY_LINE = /^[ \t]*(?:[A-Za-z0-9+/=]*|(?:Proc-Type|DEK-Info):.*)[ \t]*$/;

const ENCODED_BEGIN: ReadonlyMap<string, Offset> = new Map(
  stableSpellings(Buffer.from(BEGIN)).map(({ text, offset }) => [text, offset]),
);
const ENCODED_BEGINS = new RegExp([...ENCODED_BEGIN.keys()].join('|'), 'g');

/** Where something begins in base64 that may be a key: kubeconfigs and values of charts hold them so. */
export function encodedKeysIn(text: string): readonly { readonly at: number; readonly offset: Offset }[] {
  return [...text.matchAll(ENCODED_BEGINS)].map(({ 0: begin, index }) => ({
    at: index,
    offset: ENCODED_BEGIN.get(begin) ?? 0,
  }));
}
