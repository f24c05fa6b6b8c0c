import { expect, it } from 'vitest';
import { billOfMaterials } from '../package/sbom.ts';
import { defaultBase, imageBill } from './bill.ts';

const ARCHIVE = billOfMaterials(
  { name: 'stalemate', version: '0.1.0', license: 'Apache-2.0' },
  { lock: { packages: { '': {} } }, data: [] },
);
const STATUS = `Package: libc6
Status: install ok installed
Architecture: amd64
Version: 2.36-9+deb12u14
Description: GNU C Library

Package: gone
Status: deinstall ok config-files
Architecture: amd64
Version: 1

Package: dash
Status: install ok installed
Architecture: amd64
Version: 1:0.5.12-2
`;
const DASH = 'Files: *\nLicense: BSD-3-clause\n\nFiles: src/mksignames.c\nLicense: GPL-2+\n\nLicense: GPL-2+\n text\n';

it('lists the copied files, the base, and the installed packages', () => {
  const digest = 'd'.repeat(64);
  const copyright = (name: string): string | undefined => (name === 'dash' ? DASH : undefined);

  const bill = imageBill(ARCHIVE, {
    name: 'stalemate',
    base: `registry.example.com/library/debian:12-slim@sha256:${digest}`,
    debian: { status: STATUS, copyright },
  });

  expect(bill.components.map((one) => one['bom-ref'])).toEqual(['pkg:npm/stalemate@0.1.0', 'kubernetes', 'base']);
  expect(bill.components.at(-1)).toMatchObject({
    name: 'registry.example.com/library/debian',
    version: '12-slim',
    hashes: [{ alg: 'SHA-256', content: digest }],
    purl: `pkg:oci/debian@sha256%3A${digest}?tag=12-slim`,
    components: [
      {
        name: 'dash',
        version: '1:0.5.12-2',
        licenses: [{ license: { name: 'BSD-3-clause' } }, { license: { name: 'GPL-2+' } }],
        purl: 'pkg:deb/debian/dash@1%3A0.5.12-2?arch=amd64',
      },
      {
        name: 'libc6',
        licenses: [{ license: { name: 'see usr/share/doc, copyright' } }],
        purl: 'pkg:deb/debian/libc6@2.36-9%2Bdeb12u14?arch=amd64',
      },
    ],
  });
  expect(bill.dependencies[0]).toEqual({ ref: 'image', dependsOn: ['pkg:npm/stalemate@0.1.0', 'base'] });
});

it('reads the default base from the Dockerfile', () => {
  expect(defaultBase()).toMatch(/^debian:12-slim@sha256:[0-9a-f]{64}$/);
});
