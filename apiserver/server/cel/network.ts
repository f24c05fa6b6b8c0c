/** Kubernetes' `ip`, `cidr` and `url` libraries for CEL. */
import type { Environment } from '@marcbachmann/cel-js';
import { ipText, masked, parseCidr, parseIp, type Cidr } from '../schema/ip.ts';
import { registerEquality } from './equality.ts';
import { registerNamespace, registerFunctions } from './library.ts';

class Ip {
  readonly bytes: readonly number[];

  constructor(bytes: readonly number[]) {
    this.bytes = bytes;
  }

  /** Reports whether an address starts with the given bytes. */
  starts(...bytes: readonly number[]): boolean {
    return bytes.every((byte, at) => this.bytes[at] === byte);
  }

  get v4(): boolean {
    return this.bytes.length === 4;
  }
}

class Range {
  readonly cidr: Cidr;

  constructor(cidr: Cidr) {
    this.cidr = cidr;
  }

  contains(address: readonly number[], prefix: number): boolean {
    const { cidr } = this;
    if (address.length !== cidr.address.length || prefix < cidr.prefix) return false;
    const [ours, theirs] = [masked(cidr), masked({ address, prefix: cidr.prefix })];
    return ours.every((byte, at) => byte === theirs[at]);
  }
}

/** Parses an address; refuses IPv4-mapped IPv6 and zones, as Kubernetes does. */
function strictIp(text: string): Ip {
  const bytes = parseIp(text);
  if (bytes === undefined)
    throw new Error(
      `IP Address ${JSON.stringify(text)} parse error during conversion from string: ParseAddr(${JSON.stringify(text)}): unable to parse IP`,
    );
  if (isMapped(bytes)) throw new Error(`IPv4-mapped IPv6 address ${JSON.stringify(text)} is not allowed`);
  return new Ip(bytes);
}

function isMapped(bytes: readonly number[]): boolean {
  return (
    bytes.length === 16 && bytes.slice(0, 10).every((byte) => byte === 0) && bytes[10] === 255 && bytes[11] === 255
  );
}

function strictCidr(text: string): Range {
  const cidr = parseCidr(text);
  if (cidr === undefined)
    throw new Error(
      `network address parse error during conversion from string: network address parse error during conversion from string: netip.ParsePrefix(${JSON.stringify(text)}): ${text.includes('/') ? 'unable to parse IP' : "no '/'"}`,
    );
  if (isMapped(cidr.address)) throw new Error(`IPv4-mapped IPv6 address ${JSON.stringify(text)} is not allowed`);
  return new Range(cidr);
}

function succeeds(make: () => unknown): boolean {
  try {
    make();
    return true;
  } catch {
    return false;
  }
}

function equalBytes(left: readonly number[], right: readonly number[]): boolean {
  return left.length === right.length && left.every((byte, at) => byte === right[at]);
}

function registerIp(env: Environment): void {
  env.registerType('net.IP', { ctor: Ip });
  registerEquality(env, 'net.IP', (left: Ip, right: Ip) => equalBytes(left.bytes, right.bytes));
  const namespace = registerNamespace(env, 'ip');
  registerFunctions(env, {
    'ip(string): net.IP': strictIp,
    'isIP(string): bool': (text: string) => succeeds(() => strictIp(text)),
    [`${namespace}.isCanonical(string): bool`]: (_: unknown, text: string) => ipText(strictIp(text).bytes) === text,
    'string(net.IP): string': (ip: Ip) => ipText(ip.bytes),
    'net.IP.family(): int': (ip: Ip) => (ip.v4 ? 4n : 6n),
    'net.IP.isUnspecified(): bool': (ip: Ip) => ip.bytes.every((byte) => byte === 0),
    'net.IP.isLoopback(): bool': isLoopback,
    'net.IP.isLinkLocalMulticast(): bool': (ip: Ip) =>
      ip.v4 ? ip.starts(224, 0, 0) : ip.bytes[0] === 0xff && ((ip.bytes[1] ?? 0) & 0x0f) === 2,
    'net.IP.isLinkLocalUnicast(): bool': isLinkLocal,
    'net.IP.isGlobalUnicast(): bool': (ip: Ip) => {
      const multicast = ip.v4 ? ((ip.bytes[0] ?? 0) & 0xf0) === 0xe0 : ip.bytes[0] === 0xff;
      const broadcast = ip.v4 && ip.starts(255, 255, 255, 255);
      return !multicast && !broadcast && !isLinkLocal(ip) && !isLoopback(ip) && !ip.bytes.every((byte) => byte === 0);
    },
  });
}

function isLoopback(ip: Ip): boolean {
  return ip.v4 ? ip.starts(127) : ip.bytes.every((byte, at) => byte === (at === 15 ? 1 : 0));
}

function isLinkLocal(ip: Ip): boolean {
  return ip.v4 ? ip.starts(169, 254) : ip.bytes[0] === 0xfe && ((ip.bytes[1] ?? 0) & 0xc0) === 0x80;
}

function registerCidr(env: Environment): void {
  env.registerType('net.CIDR', { ctor: Range });
  registerEquality(
    env,
    'net.CIDR',
    (left: Range, right: Range) =>
      left.cidr.prefix === right.cidr.prefix && equalBytes(left.cidr.address, right.cidr.address),
  );
  registerFunctions(env, {
    'cidr(string): net.CIDR': strictCidr,
    'isCIDR(string): bool': (text: string) => succeeds(() => strictCidr(text)),
    'string(net.CIDR): string': ({ cidr }: Range) => `${ipText(cidr.address)}/${cidr.prefix}`,
    'net.CIDR.containsIP(net.IP): bool': (range: Range, ip: Ip) => range.contains(ip.bytes, ip.bytes.length * 8),
    'net.CIDR.containsIP(string): bool': (range: Range, text: string) => {
      const { bytes } = strictIp(text);
      return range.contains(bytes, bytes.length * 8);
    },
    'net.CIDR.containsCIDR(net.CIDR): bool': (range: Range, { cidr }: Range) =>
      range.contains(cidr.address, cidr.prefix),
    'net.CIDR.containsCIDR(string): bool': (range: Range, text: string) => {
      const { cidr } = strictCidr(text);
      return range.contains(cidr.address, cidr.prefix);
    },
    'net.CIDR.ip(): net.IP': ({ cidr }: Range) => new Ip(cidr.address),
    'net.CIDR.prefixLength(): int': ({ cidr }: Range) => BigInt(cidr.prefix),
    'net.CIDR.masked(): net.CIDR': ({ cidr }: Range) => new Range({ ...cidr, address: masked(cidr) }),
  });
}

class Url {
  readonly scheme: string;
  readonly host: string;
  readonly path: string;
  readonly query: string;

  constructor(scheme: string, host: string, path: string, query: string) {
    this.scheme = scheme;
    this.host = host;
    this.path = path;
    this.query = query;
  }

  get hostname(): string {
    const bracketed = /^\[(.*)\](?::\d*)?$/.exec(this.host);
    return bracketed?.[1] ?? this.host.replace(/:\d*$/, '');
  }

  get port(): string {
    return /:(\d*)$/.exec(this.host.replace(/^\[.*\]/, ''))?.[1] ?? '';
  }
}

/** Parses an absolute URI or an absolute path, as `url.ParseRequestURI` does. */
export function parseUrl(text: string): Url | undefined {
  const match = /^(?:([a-zA-Z][a-zA-Z0-9+.-]*):)?(?:\/\/(?:[^/?#@]*@)?([^/?]*))?([^?]*)(?:\?(.*))?$/s.exec(text);
  if (match === null || text === '' || controls(text)) return undefined;
  const [, scheme = '', host, path = '', query = ''] = match;
  if (scheme === '' && !text.startsWith('/')) return undefined;
  if (scheme !== '' && host === undefined && !path.startsWith('/')) return undefined;
  if (host !== undefined && !/^(\[[0-9a-fA-F:.%]+\]|[^\s[\]<>"^`{|}:]*)(:\d*)?$/.test(host)) return undefined;
  if (/%(?![0-9a-fA-F]{2})/.test(path)) return undefined;
  return new Url(scheme.toLowerCase(), host ?? '', path, query);
}

function controls(text: string): boolean {
  for (const point of text) if (point < ' ' || point === '\u007f') return true;
  return false;
}

function urlFault(text: string): string {
  if (text === '') return 'empty url';
  return text.startsWith(':') ? 'missing protocol scheme' : 'invalid URI for request';
}

function strictUrl(text: string): Url {
  const url = parseUrl(text);
  if (url === undefined)
    throw new Error(`URL parse error during conversion from string: parse ${JSON.stringify(text)}: ${urlFault(text)}`);
  return url;
}

function registerUrl(env: Environment): void {
  env.registerType('kubernetes.URL', { ctor: Url });
  registerFunctions(env, {
    'url(string): kubernetes.URL': strictUrl,
    'isURL(string): bool': (text: string) => parseUrl(text) !== undefined,
    'kubernetes.URL.getScheme(): string': (url: Url) => url.scheme,
    'kubernetes.URL.getHost(): string': (url: Url) => url.host,
    'kubernetes.URL.getHostname(): string': (url: Url) => url.hostname,
    'kubernetes.URL.getPort(): string': (url: Url) => url.port,
    'kubernetes.URL.getEscapedPath(): string': (url: Url) => encodeURI(decodeURI(url.path)),
    'kubernetes.URL.getQuery(): map<string, list<string>>': (url: Url) => {
      const query = new Map<string, string[]>();
      for (const [key, value] of new URLSearchParams(url.query)) query.set(key, [...(query.get(key) ?? []), value]);
      return query;
    },
  });
  registerEquality(
    env,
    'kubernetes.URL',
    (left: Url, right: Url) =>
      left.scheme === right.scheme &&
      left.host === right.host &&
      left.path === right.path &&
      left.query === right.query,
  );
}

export function registerNetwork(env: Environment): void {
  registerIp(env);
  registerCidr(env);
  registerUrl(env);
}
