/**
 * Name rules of Kubernetes with their messages (k8s.io/apimachinery `util/validation`).
 *
 * Owns: DNS names, qualified names, label values, path segments. Results are cached, because the same names are checked again and again.
 */
import type { NameRule } from './definition.ts';
import { ipText, parseIp } from './schema/ip.ts';

const LABEL = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';
const DNS_LABEL = new RegExp(`^${LABEL}$`);
const DNS_SUBDOMAIN = new RegExp(`^${LABEL}(\\.${LABEL})*$`);
const DNS_1035 = /^[a-z]([-a-z0-9]*[a-z0-9])?$/;
const QUALIFIED = /^([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$/;
const LABEL_VALUE = /^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$/;

const NONE: readonly string[] = [];

type Unit = 'bytes' | 'characters';

function tooLong(max: number, unit: Unit): string {
  return `must be no more than ${max} ${unit}`;
}

const SUBDOMAIN_TEXT =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
const LABEL_TEXT =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
const DNS_1035_TEXT =
  "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')";
const QUALIFIED_TEXT =
  "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
const LABEL_VALUE_TEXT =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";

/** Returns `check` with cached results. The cache is cleared when it has grown large. */
function cached(check: (text: string) => readonly string[]): (text: string) => readonly string[] {
  const known = new Map<string, readonly string[]>();
  return (text) => {
    let errors = known.get(text);
    if (errors === undefined) {
      errors = check(text);
      if (known.size > 10_000) known.clear();
      known.set(text, errors);
    }
    return errors;
  };
}

function matching(
  pattern: RegExp,
  max: number,
  unit: Unit,
  text: string | ((value: string) => string),
): (value: string) => readonly string[] {
  return cached((value) => {
    const errors: string[] = [];
    if (value.length > max) errors.push(tooLong(max, unit));
    if (!pattern.test(value)) errors.push(typeof text === 'string' ? text : text(value));
    return errors.length === 0 ? NONE : errors;
  });
}

const CHECKS: { readonly [rule in NameRule]: (name: string) => readonly string[] } = {
  subdomain: matching(DNS_SUBDOMAIN, 253, 'characters', SUBDOMAIN_TEXT),
  label: matching(DNS_LABEL, 63, 'characters', (name) =>
    DNS_SUBDOMAIN.test(name) ? 'must not contain dots' : LABEL_TEXT,
  ),
  service: matching(DNS_1035, 63, 'characters', DNS_1035_TEXT),
  'path-segment': cached((name) => {
    if (name === '.' || name === '..') return [`may not be '${name}'`];
    const errors: string[] = [];
    for (const bad of ['/', '%']) if (name.includes(bad)) errors.push(`may not contain '${bad}'`);
    return errors;
  }),
  ip: cached(ipErrors),
};

/** Returns errors in an IP address that is used as a name. It must be canonical, so that one address has one name. */
function ipErrors(name: string): readonly string[] {
  const address = parseIp(name, true);
  if (address === undefined) return ['must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)'];
  const errors: string[] = [];
  if (parseIp(name) === undefined) errors.push('must not have leading 0s');
  if (isMapped(address)) errors.push('must not be an IPv4-mapped IPv6 address');
  if (errors.length > 0) return errors;
  const canonical = ipText(address);
  return name === canonical ? NONE : [`must be in canonical form (${JSON.stringify(canonical)})`];
}

function isMapped(address: readonly number[]): boolean {
  return address.length === 16 && address.slice(0, 12).every((byte, at) => byte === (at < 10 ? 0 : 255));
}

/** Returns errors in `metadata.name`, or in `generateName` if `prefix`, which may end with a dash. */
export function nameErrors(rule: NameRule, name: string, prefix: boolean): readonly string[] {
  return CHECKS[rule](prefix && name.endsWith('-') && name.length > 1 ? `${name.slice(0, -1)}a` : name);
}

const prefixErrors = matching(DNS_SUBDOMAIN, 253, 'bytes', SUBDOMAIN_TEXT);

/** Returns errors in a label key, annotation key or finalizer. */
export const qualifiedNameErrors: (value: string) => readonly string[] = cached((value) => {
  const parts = value.split('/');
  const name = parts.length === 1 ? value : (parts[1] ?? '');
  const errors: string[] = [];
  if (parts.length > 2)
    return [
      `a valid label key must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]') with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`,
    ];
  if (parts.length === 2) {
    const prefix = parts[0] ?? '';
    if (prefix === '') errors.push('prefix part must be non-empty');
    else for (const text of prefixErrors(prefix)) errors.push(`prefix part ${text}`);
  }
  if (name === '') errors.push('name part must be non-empty');
  else if (name.length > 63) errors.push(`name part ${tooLong(63, 'bytes')}`);
  if (!QUALIFIED.test(name)) errors.push(QUALIFIED_TEXT);
  return errors.length === 0 ? NONE : errors;
});

export const labelValueErrors: (value: string) => readonly string[] = matching(
  LABEL_VALUE,
  63,
  'bytes',
  LABEL_VALUE_TEXT,
);
