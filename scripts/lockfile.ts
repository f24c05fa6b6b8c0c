/**
 * Requirements for package-lock.json: an entry for each platform's build of a tool, and a digest for each entry.
 *
 * Why: tools such as oxlint ship one optional package per platform, and a registry mirror may lack some of those of the newest releases.
 * npm then omits them from the lockfile, and `npm ci` fails on these platforms; or they are added by hand, and are installed without a
 * check. So use releases of tools whose builds are all in the registry. `check-tidy.ts` checks both.
 */

interface LockEntry {
  readonly version?: string;
  readonly integrity?: string;
  /** A link to a folder of this repository. */
  readonly link?: boolean;
  readonly optionalDependencies?: { readonly [name: string]: string };
}

export interface Lockfile {
  readonly packages: { readonly [path: string]: LockEntry };
}

const PLATFORM_NAME = /(?:^|[-/])(aix|android|darwin|freebsd|linux|openharmony|sunos|win32)-[a-z0-9]+(?:-[a-z]+)?$/;
const EXACT_VERSION = /^\d+\.\d+\.\d+(?:-[\w.]+)?$/;
const DIGEST = /^sha512-[A-Za-z0-9+/]{86}==$/;

/** Returns paths of platform builds that packages of the lockfile depend on and that have no entry. */
export function missingBuilds({ packages }: Lockfile): readonly string[] {
  return Object.values(packages).flatMap(({ optionalDependencies = {} }) =>
    Object.entries(optionalDependencies)
      .filter(([name, version]) => PLATFORM_NAME.test(name) && EXACT_VERSION.test(version))
      .map(([name]) => `node_modules/${name}`)
      .filter((path) => packages[path] === undefined),
  );
}

/** Returns paths of packages that would be installed without a check. Packages of this repository need no digest. */
export function entriesWithoutDigest({ packages }: Lockfile): readonly string[] {
  return Object.entries(packages)
    .filter(
      ([path, { integrity = '', link }]) => path.includes('node_modules/') && link !== true && !DIGEST.test(integrity),
    )
    .map(([path]) => path);
}
