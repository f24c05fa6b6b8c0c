/**
 * A certificate authority: issues the certificates of a served API server and of its administrator.
 *
 * Owns: the certificates and their contents; every key is new and kept in memory. Does not own: their encoding (`der.ts`). Start at {@link
 * CertificateAuthority}.
 */
import { createHash, generateKeyPairSync, randomBytes, sign, type KeyObject } from 'node:crypto';
import { isIP } from 'node:net';
import { realDate } from '../../clock.ts';
import { bits, boolean, der, explicit, integer, octets, oid, sequence, setOf, time, utf8 } from './der.ts';

/** A certificate and its key, as PEM. */
export interface Identity {
  readonly certificate: string;
  readonly key: string;
}

export interface Subject {
  readonly commonName: string;
  /** The organizations, which Kubernetes reads as groups. */
  readonly organizations?: readonly string[];
}

/** The host names of an API server on this machine, including the names inside a cluster. */
export const SERVER_NAMES: readonly string[] = [
  'localhost',
  'kubernetes',
  'kubernetes.default',
  'kubernetes.default.svc',
  'kubernetes.default.svc.cluster.local',
  '127.0.0.1',
  '::1',
  '10.0.0.1',
];

const ECDSA_WITH_SHA256 = sequence(oid('1.2.840.10045.4.3.2'));
const DAY_MS = 24 * 60 * 60 * 1000;

/** Signs server and client certificates; lives as long as the process. */
export class CertificateAuthority {
  /** The CA certificate for clients, as PEM. */
  readonly certificate: string;
  readonly #key: KeyObject;
  readonly #name: Buffer;
  readonly #keyId: Buffer;

  constructor() {
    const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const spki = publicKey.export({ type: 'spki', format: 'der' });
    this.#key = privateKey;
    this.#name = nameOf({ commonName: 'stalemate-ca' });
    this.#keyId = keyIdOf(spki);
    this.certificate = this.#signed(this.#name, spki, [
      extension('2.5.29.19', sequence(boolean(true)), true),
      // digitalSignature, keyEncipherment, keyCertSign
      extension('2.5.29.15', bits(Buffer.of(0xa4), 2), true),
    ]);
  }

  /** Issues a server certificate for `names`: DNS names and IP addresses. */
  issueServer(names: readonly string[] = SERVER_NAMES): Identity {
    const alternatives = sequence(
      ...names.map((name) => (isIP(name) === 0 ? der(0x82, Buffer.from(name)) : der(0x87, addressBytes(name)))),
    );
    return this.#issue({ commonName: 'kube-apiserver' }, '1.3.6.1.5.5.7.3.1', [extension('2.5.29.17', alternatives)]);
  }

  /** Issues a client certificate that authenticates a user. */
  issueClient(subject: Subject): Identity {
    return this.#issue(subject, '1.3.6.1.5.5.7.3.2', []);
  }

  #issue(subject: Subject, purpose: string, more: readonly Buffer[]): Identity {
    const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const certificate = this.#signed(nameOf(subject), publicKey.export({ type: 'spki', format: 'der' }), [
      extension('2.5.29.19', sequence(), true),
      // digitalSignature
      extension('2.5.29.15', bits(Buffer.of(0x80), 7), true),
      extension('2.5.29.37', sequence(oid(purpose))),
      ...more,
    ]);
    return { certificate, key: privateKey.export({ type: 'pkcs8', format: 'pem' }) as string };
  }

  #signed(subject: Buffer, spki: Buffer, extensions: readonly Buffer[]): string {
    const now = realDate().getTime();
    const serial = randomBytes(16);
    serial[0] = ((serial[0] ?? 0) & 0x7f) | 0x40;
    const body = sequence(
      explicit(0, integer(Buffer.of(2))),
      integer(serial),
      ECDSA_WITH_SHA256,
      this.#name,
      // Valid from a day ago, because clocks of containers and of their hosts differ.
      sequence(time(new Date(now - DAY_MS)), time(new Date(now + 3650 * DAY_MS))),
      subject,
      spki,
      explicit(
        3,
        sequence(
          extension('2.5.29.14', octets(keyIdOf(spki))),
          extension('2.5.29.35', sequence(der(0x80, this.#keyId))),
          ...extensions,
        ),
      ),
    );
    const whole = sequence(body, ECDSA_WITH_SHA256, bits(sign('sha256', body, this.#key)));
    const lines = whole.toString('base64').match(/.{1,64}/g) ?? [];
    return `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`;
  }
}

function nameOf({ commonName, organizations = [] }: Subject): Buffer {
  const attribute = (type: string, text: string): Buffer => setOf(sequence(oid(type), utf8(text)));
  return sequence(
    ...organizations.map((organization) => attribute('2.5.4.10', organization)),
    attribute('2.5.4.3', commonName),
  );
}

function extension(type: string, value: Buffer, critical = false): Buffer {
  return sequence(oid(type), ...(critical ? [boolean(true)] : []), octets(value));
}

function keyIdOf(spki: Uint8Array): Buffer {
  return createHash('sha1').update(spki).digest();
}

function addressBytes(address: string): Buffer {
  if (isIP(address) === 4) return Buffer.from(address.split('.').map(Number));
  const [head = '', tail = ''] = address.split('::');
  const groups = (text: string): readonly number[] =>
    text === '' ? [] : text.split(':').map((group) => Number.parseInt(group, 16));
  const left = groups(head);
  const right = groups(tail);
  const middle = Array.from({ length: 8 - left.length - right.length }, () => 0);
  const bytes = Buffer.alloc(16);
  for (const [index, group] of [...left, ...middle, ...right].entries()) bytes.writeUInt16BE(group, index * 2);
  return bytes;
}
