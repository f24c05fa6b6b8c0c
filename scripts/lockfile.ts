/**
 * What package-lock.json has to hold: an entry for each platform's build of a tool, and a digest for each entry.
 *
 * Why: tools such as oxlint ship one optional package per platform. A registry mirror may lack some of those of the newest releases.
 * npm then leaves them out of the lockfile, and `npm ci` refuses it on the platforms in question; or, where they are added by hand, they
 * are installed unchecked. So tools are taken from releases whose builds are all there. `check-tidy.ts` asks both questions.
 */

interface LockEntry {
  readonly version?: string;
  readonly integrity?: string;
  /** A folder of this repository. */
  readonly link?: boolean;
  readonly optionalDependencies?: { readonly [name: string]: string };
}

export interface Lockfile {
  readonly packages: { readonly [path: string]: LockEntry };
}

const PLATFORM_NAME = /(?:^|[-/])(aix|android|darwin|freebsd|linux|openharmony|sunos|win32)-[a-z0-9]+(?:-[a-z]+)?$/;
const EXACT_VERSION = /^\d+\.\d+\.\d+(?:-[\w.]+)?$/;
const DIGEST = /^sha512-[A-Za-z0-9+/]{86}==$/;

/** Paths of platform builds that packages of the lockfile name and that have no entry. */
export function missingBuilds({ packages }: Lockfile): readonly string[] {
  return Object.values(packages).flatMap(({ optionalDependencies = {} }) =>
    Object.entries(optionalDependencies)
      .filter(([name, version]) => PLATFORM_NAME.test(name) && EXACT_VERSION.test(version))
      .map(([name]) => `node_modules/${name}`)
      .filter((path) => packages[path] === undefined),
  );
}

/** Paths of packages that would be installed unchecked. Those of the repository itself need no digest. */
export function entriesWithoutDigest({ packages }: Lockfile): readonly string[] {
  return Object.entries(packages)
    .filter(
      ([path, { integrity = '', link }]) => path.includes('node_modules/') && link !== true && !DIGEST.test(integrity),
    )
    .map(([path]) => path);
}
