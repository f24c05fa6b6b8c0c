/**
 * Recognises secrets by their format, wherever they are and whether or not a Secret contains them.
 *
 * Owns: the formats of tokens, JSON web tokens and private keys. Certificates and public keys are not secrets. Does not own:
 * secrets recognised by the name before them (`named-values.ts`). Every search is linear in the text.
 */
import { stableSpellings, type Offset } from './base64-text.ts';

export interface Range {
  readonly start: number;
  readonly end: number;
}

/** Requires that no letter or digit precedes, except that of an escape: in JSON a token may follow `\\n`. */
const BOUNDARY = '(?<!(?<!\\\\)[A-Za-z0-9])';
/**
 * The prefix identifies a token; prefixes that are common endings of words require a boundary before them. Required lengths are
 * at most those of the shortest tokens issued today.
 */
const TOKENS = new RegExp(
  [
    // GitHub, GitLab.
    'gh[pousr]_[A-Za-z0-9]{20,}|github_pat_\\w{20,}',
    `${BOUNDARY}gl(?:pat|dt|rt|cbt|ptt|ft|imt|agent|soat|oas|ffct)-[\\w-]{16,}`,
    // AWS: the key id, and the secret key beside it.
    '(?<![A-Z0-9])A(?:KIA|SIA|BIA|CCA)[A-Z0-9]{16}(?![A-Z0-9])',
    // Google: API keys, OAuth.
    'AIza[\\w-]{35}|ya29\\.[\\w-]{20,}|GOCSPX-[\\w-]{20,}',
    // Slack.
    'xox[abeoprs]-[\\w-]{8,}|xapp-\\d-[\\w-]{8,}',
    // Registries, payment providers, HashiCorp Vault, AI providers.
    'npm_[A-Za-z0-9]{36}|dckr_(?:pat|oat)_[\\w-]{16,}|pypi-[\\w-]{50,}',
    `${BOUNDARY}[rs]k_(?:live|test)_[A-Za-z0-9]{10,}|${BOUNDARY}hv[sbr]\\.[\\w-]{20,}`,
    `${BOUNDARY}sk-(?:ant|proj|svcacct)-[\\w-]{16,}`,
    'AGE-SECRET-KEY-1[A-Z0-9]{50,}',
  ].join('|'),
  'g',
);
const BEGIN = '-----BEGIN ';
/** The URL of a Slack webhook, whose path is the secret; slashes may be escaped. */
const SLACK_HOOK =
  /hooks\.slack(?:-gov)?\.com(?:\\*\/|%2[Ff])(?:services|workflows|triggers)((?:(?:\\*\/|%2[Ff])[\w-]+)+)/g;
const AWS_PAIR = /(?<![A-Z0-9])A(?:KIA|SIA)[A-Z0-9]{16}[\s:,;"'\\/|]{1,6}([A-Za-z0-9/+]{40})(?![A-Za-z0-9/+])/g;

const LETTERS = [...'abcdefghijklmnopqrstuvwxyz'];

/** Every text with a secret of a known format contains one of these hints, each of at least four characters. */
export const FORMAT_HINTS: readonly string[] = [
  ...[...'pousr'].map((kind) => `gh${kind}_`),
  'github_pat_',
  ...['pat', 'dt', 'rt', 'cbt', 'ptt', 'ft', 'imt', 'agent', 'soat', 'oas', 'ffct'].map((kind) => `gl${kind}-`),
  ...['AKIA', 'ASIA', 'ABIA', 'ACCA', 'AIza', 'ya29.', 'GOCSPX-'],
  ...[...'abeoprs'].map((kind) => `xox${kind}-`),
  ...['xapp-', 'hooks.slack', 'npm_', 'dckr_', 'pypi-', 'sk_l', 'sk_t', 'rk_l', 'rk_t', 'hvs.', 'hvb.', 'hvr.'],
  ...['sk-a', 'sk-p', 'sk-s', 'AGE-SECRET-KEY-1'],
  // The beginning of a JSON object in base64: a key, a space or a line break follows the brace.
  ...LETTERS.map((letter) => Buffer.from(`{"${letter}`).toString('base64')),
  ...['ewog', 'ewoJ', 'ew0K', 'eyAi'],
  BEGIN,
  ...stableSpellings(Buffer.from(BEGIN)).map(({ text }) => text),
];

/** Returns the ranges of secrets with a known format in a text. */
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
/**
 * Maximum number of starts tried in one run of letters; with more of them it would not be a token, and the search would take
 * quadratic time.
 */
const STARTS_MAX = 8;

/** Finds JSON web tokens: three parts separated by dots, of which the first decodes to JSON with an algorithm. */
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

/** Returns where `{"`, or `{` followed by a space or a line break, next begins in base64; -1 if nowhere. */
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
  // Encrypted tokens have five parts.
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

/** Finds private keys, from the first dash to the last one; a truncated key extends to the end of the text. */
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

/**
 * Returns which lines belong to the body of a private key that began on an earlier line. The first line of the key is not
 * included: it is found as text.
 */
export function keyLinesIn(lines: readonly string[]): readonly number[] {
  const found: number[] = [];
  let inKey = false;
  for (const [at, line] of lines.entries()) {
    // If the key is truncated, the following lines do not belong to it.
    if (inKey && !line.includes(END) && !KEY_LINE.test(line)) inKey = false;
    if (inKey) found.push(at);
    const begins = line.lastIndexOf(BEGIN);
    if (line.includes(END, Math.max(0, begins))) inKey = false;
    else if (begins >= 0) inKey = line.slice(begins).includes('PRIVATE KEY');
  }
  return found;
}

const END = '-----END ';
/** Matches a line of a key's body: base64, a header of older formats, or an empty line. */
const KEY_LINE = /^[ \t]*(?:[A-Za-z0-9+/=]*|(?:Proc-Type|DEK-Info):.*)[ \t]*$/;

const ENCODED_BEGIN: ReadonlyMap<string, Offset> = new Map(
  stableSpellings(Buffer.from(BEGIN)).map(({ text, offset }) => [text, offset]),
);
const ENCODED_BEGINS = new RegExp([...ENCODED_BEGIN.keys()].join('|'), 'g');

/** Returns where a base64-encoded private key may begin: kubeconfigs and Helm values contain such keys. */
export function encodedKeysIn(text: string): readonly { readonly at: number; readonly offset: Offset }[] {
  return [...text.matchAll(ENCODED_BEGINS)].map(({ 0: begin, index }) => ({
    at: index,
    offset: ENCODED_BEGIN.get(begin) ?? 0,
  }));
}
