/** Parses DNS address queries (RFC 1035) and builds their answers. Pure. */

/** A query for the address of a name. */
export interface Question {
  readonly name: string;
  /** 1 for IPv4 (A), 28 for IPv6 (AAAA). */
  readonly type: number;
  /** The id and flags of the query, and the question in its original bytes. */
  readonly id: number;
  readonly flags: number;
  readonly question: Uint8Array;
}

export const A = 1;
export const AAAA = 28;
const HEAD_BYTES = 12;
const RESPONSE = 0x8000;
const RECURSION_DESIRED = 0x0100;
const RECURSION_AVAILABLE = 0x0080;
const AUTHORITATIVE = 0x0400;
const NO_SUCH_NAME = 3;
const LABEL_MAX = 63;

/** Returns the first question of a query; undefined if the message is not a query. */
export function questionIn(message: Buffer): Question | undefined {
  if (message.length < HEAD_BYTES || message.readUInt16BE(4) !== 1) return undefined;
  const flags = message.readUInt16BE(2);
  if ((flags & RESPONSE) !== 0) return undefined;
  const labels: string[] = [];
  let at = HEAD_BYTES;
  for (;;) {
    const length = message[at];
    // A compression pointer is not valid here: in a query, nothing precedes the name.
    if (length === undefined || length > LABEL_MAX || at + length + 1 > message.length) return undefined;
    at++;
    if (length === 0) break;
    labels.push(message.toString('latin1', at, at + length));
    at += length;
  }
  if (at + 4 > message.length) return undefined;
  return {
    name: labels.join('.').toLowerCase(),
    type: message.readUInt16BE(at),
    id: message.readUInt16BE(0),
    flags,
    question: message.subarray(HEAD_BYTES, at + 4),
  };
}

/**
 * Builds the answer to a question. `address` is an IPv4 address, or `null` for a name that does not exist. Existing names have no IPv6
 * address.
 */
export function answerOf({ id, flags, question, type }: Question, address: string | null): Buffer {
  const records = address !== null && type === A ? [recordOf(address)] : [];
  const head = Buffer.alloc(HEAD_BYTES);
  head.writeUInt16BE(id, 0);
  const code = address === null ? NO_SUCH_NAME : 0;
  head.writeUInt16BE(RESPONSE | AUTHORITATIVE | RECURSION_AVAILABLE | (flags & RECURSION_DESIRED) | code, 2);
  head.writeUInt16BE(1, 4);
  head.writeUInt16BE(records.length, 6);
  return Buffer.concat([head, question, ...records]);
}

/** Returns an address record for the queried name, with a TTL of 0. */
function recordOf(address: string): Buffer {
  const bytes = address.split('.').map(Number);
  return Buffer.from([0xc0, HEAD_BYTES, 0, A, 0, 1, 0, 0, 0, 0, 0, bytes.length, ...bytes]);
}
