import { X509Certificate } from 'node:crypto';
import { expect, it } from 'vitest';
import { CertificateAuthority } from './certificates.ts';

it('issues a server certificate for the host names of clients', () => {
  const authority = new CertificateAuthority();
  const certificate = new X509Certificate(authority.issueServer().certificate);

  expect(certificate.verify(new X509Certificate(authority.certificate).publicKey)).toBe(true);
  expect(certificate.checkIssued(new X509Certificate(authority.certificate))).toBe(true);
  expect(certificate.checkIP('127.0.0.1')).toBe('127.0.0.1');
  expect(certificate.checkIP('::1')).toBe('::1');
  expect(certificate.checkHost('kubernetes.default.svc')).toBe('kubernetes.default.svc');
  expect(certificate.checkHost('example.com')).toBeUndefined();
  expect(certificate.keyUsage).toEqual(['1.3.6.1.5.5.7.3.1']);
  expect(certificate.ca).toBe(false);
});

it('issues a client certificate with user and groups, and a matching key', () => {
  const authority = new CertificateAuthority();
  const { certificate: pem, key } = authority.issueClient({ commonName: 'alice', organizations: ['dev', 'Ünits'] });
  const certificate = new X509Certificate(pem);

  expect(certificate.subject).toBe('O=dev\nO=Ünits\nCN=alice');
  expect(key).toContain('PRIVATE KEY');
  expect(new X509Certificate(authority.certificate).ca).toBe(true);
});

it('creates authorities that do not trust each other', () => {
  const other = new CertificateAuthority();
  const certificate = new X509Certificate(new CertificateAuthority().issueServer().certificate);

  expect(certificate.verify(new X509Certificate(other.certificate).publicKey)).toBe(false);
});
