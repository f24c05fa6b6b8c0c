/** IP addresses and ranges as parsed by Go's `net` package. */

/** Returns the 4 or 16 bytes of an address; undefined for an invalid one. `sloppy`: leading zeros are allowed, as before Go 1.17. */
export function parseIp(text: string, sloppy = false): readonly number[] | undefined {
  return text.includes(':') ? parseIpv6(text, sloppy) : parseIpv4(text, sloppy);
}

function parseIpv4(text: string, sloppy: boolean): readonly number[] | undefined {
  const parts = text.split('.');
  if (parts.length !== 4) return undefined;
  const pattern = sloppy ? /^\d+$/ : /^(0|[1-9]\d{0,2})$/;
  const bytes = parts.map((part) => (pattern.test(part) ? Number(part) : 256));
  return bytes.every((byte) => byte < 256) ? bytes : undefined;
}

function parseIpv6(text: string, sloppy: boolean): readonly number[] | undefined {
  const halves = text.split('::');
  if (halves.length > 2) return undefined;
  const [head = '', tail] = halves;
  const left = words(head, sloppy && tail === undefined, tail === undefined);
  const right = tail === undefined ? [] : words(tail, sloppy, true);
  if (left === undefined || right === undefined) return undefined;
  const missing = 16 - left.length - right.length;
  if (tail === undefined ? missing !== 0 : missing < 2) return undefined;
  return [...left, ...Array.from({ length: missing }, () => 0), ...right];
}

/** Returns the bytes of IPv6 words, two for each word. `last`: the last word may be an IPv4 address. */
function words(text: string, sloppy: boolean, last: boolean): readonly number[] | undefined {
  if (text === '') return [];
  const bytes: number[] = [];
  const parts = text.split(':');
  for (const [index, part] of parts.entries()) {
    if (last && index === parts.length - 1 && part.includes('.')) {
      const four = parseIpv4(part, sloppy);
      if (four === undefined) return undefined;
      bytes.push(...four);
    } else if (/^[0-9a-fA-F]{1,4}$/.test(part)) {
      const word = Number.parseInt(part, 16);
      bytes.push(word >> 8, word & 255);
    } else return undefined;
  }
  return bytes;
}

export interface Cidr {
  readonly address: readonly number[];
  readonly prefix: number;
}

/** Parses a range such as `10.0.0.0/8`; undefined for an invalid one. */
export function parseCidr(text: string, sloppy = false): Cidr | undefined {
  const [ip = '', length = '', ...rest] = text.split('/');
  const address = rest.length === 0 && /^\d{1,3}$/.test(length) ? parseIp(ip, sloppy) : undefined;
  if (address === undefined) return undefined;
  const prefix = Number(length);
  if (prefix > address.length * 8 || (!sloppy && length !== String(prefix))) return undefined;
  return { address, prefix };
}

/** Returns the address with its host bits cleared. */
export function masked({ address, prefix }: Cidr): readonly number[] {
  return address.map((byte, index) => {
    const bits = Math.min(8, Math.max(0, prefix - index * 8));
    return byte & (0xff << (8 - bits)) & 0xff;
  });
}

/** Returns the shortest form of an address: RFC 5952 for IPv6. */
export function ipText(address: readonly number[]): string {
  if (address.length === 4) return address.join('.');
  const parts = Array.from({ length: 8 }, (_, at) => ((address[at * 2] ?? 0) << 8) | (address[at * 2 + 1] ?? 0));
  let best = { at: -1, length: 1 };
  for (let at = 0; at < 8; at++) {
    let length = 0;
    while (at + length < 8 && parts[at + length] === 0) length++;
    if (length > best.length) best = { at, length };
  }
  const hex = (list: readonly number[]): string => list.map((part) => part.toString(16)).join(':');
  if (best.at < 0) return hex(parts);
  return `${hex(parts.slice(0, best.at))}::${hex(parts.slice(best.at + best.length))}`;
}
