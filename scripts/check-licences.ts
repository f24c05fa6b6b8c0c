/**
 * Checks that the licences of everything that we ship permit it, and that we meet their conditions: `npm run licences`.
 *
 * Owns: the accepted licences, and the rules below. Does not own: what is shipped (`package/shipped.ts`). Start at {@link checkLicences}.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { assets } from './package/build.ts';
import { FOREIGN_DATA, readLock, type Shipped, shippedPackages } from './package/shipped.ts';
import { type Complaint, report, REPOSITORY_ROOT, repositoryPaths } from './repository-files.ts';

/** Software under these licences may be distributed together under Apache-2.0, as long as the licence texts are included. */
const FINE: ReadonlySet<string> = new Set([
  ...[
    'Apache-2.0',
    'MIT',
    'ISC',
    'BSD-2-Clause',
    'BSD-3-Clause',
    '0BSD',
    'BlueOak-1.0.0',
    'PSF-2.0',
    'Python-2.0',
    'Unlicense',
  ],
]);
/** File names of a licence text in a package. */
const TEXT = /^((un)?licen[cs]e|copying)/i;

/** The input of the rules. */
export interface Facts {
  readonly packages: readonly Shipped[];
  /** Paths of packages that contain the text of their licence. */
  readonly withText: ReadonlySet<string>;
  /** Data files of the package, some of which are from other projects. */
  readonly data: readonly string[];
  readonly notice: string;
}

export function checkLicences({ packages, withText, data, notice }: Facts): readonly Complaint[] {
  const complaints: Complaint[] = [];
  for (const { name, version, licence, path } of packages) {
    const where = `${name} ${version}`;
    if (!FINE.has(licence)) {
      complaints.push({
        where,
        problem: `is under "${licence}", expected one of ${[...FINE].join(', ')}: leave it out, or add the licence to scripts/check-licences.ts after reading it`,
      });
    }
    if (!withText.has(path) && !notice.includes(`${name} ${version}`)) {
      complaints.push({
        where,
        problem: `comes without the text of its licence: put "${name} ${version}" with its authors and that text into NOTICE`,
      });
    }
  }
  for (const { name, version, files } of FOREIGN_DATA) {
    if (data.some((path) => files.test(path)) && !new RegExp(`${name} v?${version}`, 'i').test(notice)) {
      complaints.push({
        where: 'NOTICE',
        problem: `does not name ${name} ${version}, whose data we ship: say so there`,
      });
    }
  }
  return complaints;
}

function facts(): Facts {
  const packages = shippedPackages(readLock());
  const withText = packages.filter(({ path }) =>
    readdirSync(join(REPOSITORY_ROOT, path)).some((name) => TEXT.test(name)),
  );
  return {
    packages,
    withText: new Set(withText.map(({ path }) => path)),
    data: assets(repositoryPaths()),
    notice: readFileSync(join(REPOSITORY_ROOT, 'NOTICE'), 'utf8'),
  };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const found = facts();
  report(
    'licences',
    found.packages.length + found.data.length,
    checkLicences(found),
    'Each line above says what to do; the rules are in scripts/check-licences.ts.',
  );
}
