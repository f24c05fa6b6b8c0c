/** How a program is made to trust the certificates of declared servers. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CertificateAuthority } from 'stalemate-apiserver/http';
import type { OutsideAnswer } from 'stalemate-apiserver/wire/declared-answers';

/** What libraries read the authorities from that they trust: Go and OpenSSL, Node, requests, curl, those of AWS. */
const VARIABLES = ['SSL_CERT_FILE', 'NODE_EXTRA_CA_CERTS', 'REQUESTS_CA_BUNDLE', 'CURL_CA_BUNDLE', 'AWS_CA_BUNDLE'];

/** Variables of its environment; none where nothing is declared over TLS. Writes the file that they name. */
export function trusting(
  declared: readonly OutsideAnswer[] = [],
  { folder, authority }: { readonly folder: string; readonly authority: CertificateAuthority },
): readonly (readonly [string, string])[] {
  if (!declared.some(({ tls }) => tls === true)) return [];
  const file = join(folder, 'authorities.pem');
  writeFileSync(file, authority.certificate);
  return VARIABLES.map((name) => [name, file] as const);
}
