/**
 * The `format` values that kube-apiserver checks (go-openapi's strfmt, as vendored by Kubernetes). Like kube-apiserver, it ignores other
 * formats.
 */
import { parseDuration } from './durations.ts';
import { parseCidr, parseIp } from './ip.ts';

const DATE_TIME = /^(\d{2}):(\d{2}):(\d{2})(.\d+)?(z|([+-]\d{2}:\d{2}))$/;
const HOSTNAME =
  /^([a-zA-Z0-9\p{S}\p{L}]((-?[a-zA-Z0-9\p{S}\p{L}]{0,62})?)|([a-zA-Z0-9\p{S}\p{L}](([a-zA-Z0-9\-\p{S}\p{L}]{0,61}[a-zA-Z0-9\p{S}\p{L}])?)(\.)){1,}([a-zA-Z\p{L}]){2,63})$/u;
const UUID = /^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i;
const UUID3 = /^[0-9a-f]{8}-?[0-9a-f]{4}-?3[0-9a-f]{3}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i;
const UUID4 = /^[0-9a-f]{8}-?[0-9a-f]{4}-?4[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$/i;
const UUID5 = /^[0-9a-f]{8}-?[0-9a-f]{4}-?5[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$/i;
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{4})$/;
const ATOM = "[A-Za-z0-9!#$%&'*+/=?^_`{|}~\\u0080-\\u{10FFFF}-]+";
const ADDRESS = `(?:${ATOM}(?:\\.${ATOM})*|"[^"\\\\]*")@(?:${ATOM}(?:\\.${ATOM})*|\\[[^\\]]*\\])`;
const EMAIL = new RegExp(`^\\s*(?:${ADDRESS}|(?:"[^"]*"|[^<>@",;:()\\[\\]\\\\]*)\\s*<${ADDRESS}>)\\s*$`, 'u');
const MAC =
  /^(([0-9a-f]{2}([:-])([0-9a-f]{2}\3){4}[0-9a-f]{2})|([0-9a-f]{2}([:-])([0-9a-f]{2}\6){6}[0-9a-f]{2})|([0-9a-f]{2}([:-])([0-9a-f]{2}\9){18}[0-9a-f]{2})|([0-9a-f]{4}\.){2}[0-9a-f]{4}|([0-9a-f]{4}\.){3}[0-9a-f]{4}|([0-9a-f]{4}\.){9}[0-9a-f]{4})$/i;
const CREDIT_CARD =
  /^(?:4\d{12}(?:\d{3})?|5[1-5]\d{14}|6(?:011|5\d\d)\d{12}|3[47]\d{13}|3(?:0[0-5]|[68]\d)\d{11}|(?:2131|1800|35\d{3})\d{11})$/;
const RGB_PART = '(0|[1-9]\\d?|1\\d\\d?|2[0-4]\\d|25[0-5])';
const RGB = new RegExp(`^rgb\\(\\s*${RGB_PART}\\s*,\\s*${RGB_PART}\\s*,\\s*${RGB_PART}\\s*\\)$`);
const SHORT_NAME = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;
const LONG_NAME = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;

const matches =
  (pattern: RegExp) =>
  (text: string): boolean =>
    pattern.test(text);

/** The checks by format name, without dashes. */
const FORMATS: ReadonlyMap<string, (text: string) => boolean> = new Map([
  ['bsonobjectid', matches(/^[0-9a-fA-F]{24}$/)],
  ['uri', isRequestUri],
  ['email', matches(EMAIL)],
  ['hostname', isHostname],
  ['ipv4', (text) => text.includes('.') && parseIp(text, true) !== undefined],
  ['ipv6', (text) => text.includes(':') && parseIp(text) !== undefined],
  ['cidr', (text) => parseCidr(text, true) !== undefined],
  ['mac', matches(MAC)],
  ['uuid', matches(UUID)],
  ['uuid3', matches(UUID3)],
  ['uuid4', matches(UUID4)],
  ['uuid5', matches(UUID5)],
  ['isbn', (text) => isIsbn10(text) || isIsbn13(text)],
  ['isbn10', isIsbn10],
  ['isbn13', isIsbn13],
  ['creditcard', isCreditCard],
  ['ssn', matches(/^\d{3}[- ]?\d{2}[- ]?\d{4}$/)],
  ['hexcolor', matches(/^#?([0-9a-fA-F]{3}|[0-9a-fA-F]{6})$/)],
  ['rgbcolor', matches(RGB)],
  ['byte', matches(BASE64)],
  ['password', () => true],
  ['date', isDate],
  ['duration', (text) => parseDuration(text) !== undefined],
  ['datetime', isDateTime],
  ['k8sshortname', (text) => text.length <= 63 && SHORT_NAME.test(text)],
  ['k8slongname', (text) => text.length <= 253 && LONG_NAME.test(text)],
]);

/** Returns the format if a server checks it for this type, otherwise an empty text. `type`: empty if there are several types, or none. */
export function knownFormat(type: string, format: string): string {
  if (format === '') return '';
  switch (type) {
    case '':
    case 'string':
      return FORMATS.has(format.replaceAll('-', '')) ? format : '';
    case 'integer':
      return format === 'int32' || format === 'int64' ? format : '';
    case 'number':
      return format === 'float' || format === 'double' ? format : '';
    default:
      return '';
  }
}

/** Reports whether `value` has the format; true for formats without a check. */
export function formatHolds(format: string, value: string): boolean {
  return FORMATS.get(format.replaceAll('-', ''))?.(value) ?? true;
}

function isDate(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  const date = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text);
}

function isDateTime(text: string): boolean {
  const [date = '', time] = text.toLowerCase().split('t');
  if (time === undefined || !isDate(date)) return false;
  const [, hours = '', minutes = '', seconds = ''] = DATE_TIME.exec(time) ?? [];
  return hours !== '' && hours <= '23' && minutes <= '59' && seconds <= '59';
}

function isHostname(text: string): boolean {
  return HOSTNAME.test(text) && text.length <= 255 && text.split('.').every((part) => part.length <= 63);
}

/** Reports whether `url.ParseRequestURI` accepts a text: an absolute URI or an absolute path. */
function isRequestUri(text: string): boolean {
  const match = /^(?:([a-zA-Z][a-zA-Z0-9+.-]*):)?(\/\/[^/?]*)?([^?]*)/s.exec(text);
  if (match === null || text === '') return false;
  for (const point of text) if (point < ' ' || point === '\u007f') return false;
  const [, scheme = '', authority = '', path = ''] = match;
  if (scheme === '') return text.startsWith('/') && !/%(?![0-9a-fA-F]{2})/.test(path);
  if (authority === '') return !path.startsWith('/') || !/%(?![0-9a-fA-F]{2})/.test(path);
  const host = authority.slice(2).replace(/^.*@/, '');
  return !/[\s<>"{}|\\^`]/.test(host) && /^(\[[^\]]*\]|[^:]*)(:\d*)?$/.test(host) && !/%(?![0-9a-fA-F]{2})/.test(path);
}

function isIsbn10(text: string): boolean {
  const digits = text.replaceAll(/[\s-]+/g, '');
  if (!/^\d{9}[0-9X]$/.test(digits)) return false;
  let sum = 0;
  for (const [at, digit] of [...digits].entries())
    sum += (digit === 'X' ? 10 : Number(digit)) * (at === 9 ? 10 : at + 1);
  return sum % 11 === 0;
}

function isIsbn13(text: string): boolean {
  const digits = text.replaceAll(/[\s-]+/g, '');
  if (!/^\d{13}$/.test(digits)) return false;
  let sum = 0;
  for (const [at, digit] of [...digits].slice(0, 12).entries()) sum += Number(digit) * (at % 2 === 0 ? 1 : 3);
  return Number(digits[12]) === (10 - (sum % 10)) % 10;
}

function isCreditCard(text: string): boolean {
  const digits = text.replaceAll(/\D/g, '');
  if (!CREDIT_CARD.test(digits)) return false;
  let sum = 0;
  for (const [at, digit] of [...digits].toReversed().entries()) {
    const value = Number(digit) * (at % 2 === 0 ? 1 : 2);
    sum += value > 9 ? value - 9 : value;
  }
  return sum % 10 === 0;
}
