/** Makes a program trust the certificates of declared servers. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CertificateAuthority } from 'stalemate-apiserver/http';
import type { OutsideAnswer } from 'stalemate-apiserver/wire/declared-answers';

/** Variables with the CA bundle of common libraries: Go and OpenSSL, Node, requests, curl, the AWS SDKs. */
const VARIABLES = ['SSL_CERT_FILE', 'NODE_EXTRA_CA_CERTS', 'REQUESTS_CA_BUNDLE', 'CURL_CA_BUNDLE', 'AWS_CA_BUNDLE'];

/** Returns the variables for the program's environment; none if no server is declared with TLS. Writes the file that they name. */
export function trusting(
  declared: readonly OutsideAnswer[] = [],
  { folder, authority }: { readonly folder: string; readonly authority: CertificateAuthority },
): readonly (readonly [string, string])[] {
  if (!declared.some(({ tls }) => tls === true)) return [];
  const file = join(folder, 'authorities.pem');
  writeFileSync(file, authority.certificate);
  return VARIABLES.map((name) => [name, file] as const);
}
