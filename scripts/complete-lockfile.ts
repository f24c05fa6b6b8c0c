/**
 * Completes package-lock.json with the platform builds that a registry mirror did not offer when the lockfile was written.
 *
 * Why: tools such as oxlint ship one optional package per platform. Where the registry at hand lacks some of them, npm leaves them
 * out of the lockfile, and from then on `npm ci` refuses the lockfile on every machine. An entry with version, os and cpu is
 * enough: npm skips entries of other platforms without asking the registry. Run it after a dependency changed.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

interface LockEntry {
  readonly version?: string;
  readonly dev?: boolean;
  readonly optionalDependencies?: { readonly [name: string]: string };
}

export interface Lockfile {
  readonly packages: { readonly [path: string]: LockEntry };
}

/** What a platform package runs on, told by its name: `…-linux-arm64-musl`. */
export interface Platform {
  readonly os: readonly string[];
  readonly cpu: readonly string[];
  readonly libc?: readonly string[];
}

export interface MissingBuild {
  readonly path: string;
  readonly version: string;
  readonly dev: boolean;
  readonly platform: Platform;
}

const PLATFORM_NAME = /(?:^|[-/])(aix|android|darwin|freebsd|linux|openharmony|sunos|win32)-([a-z0-9]+)(?:-([a-z]+))?$/;
const EXACT_VERSION = /^\d+\.\d+\.\d+(?:-[\w.]+)?$/;

/** The platform that a package's name spells out, if it does. */
export function platformOf(name: string): Platform | undefined {
  const match = PLATFORM_NAME.exec(name);
  if (match?.[1] === undefined || match[2] === undefined) return undefined;
  const abi = match[3] ?? '';
  const libc =
    match[1] !== 'linux' ? undefined : abi.startsWith('musl') ? 'musl' : abi.startsWith('gnu') ? 'glibc' : '';
  return { os: [match[1]], cpu: [match[2]], ...(libc === undefined || libc === '' ? {} : { libc: [libc] }) };
}

/** Optional platform builds that packages of the lockfile name and that have no entry. */
export function missingBuilds(lock: Lockfile): readonly MissingBuild[] {
  const missing: MissingBuild[] = [];
  for (const entry of Object.values(lock.packages)) {
    for (const [name, version] of Object.entries(entry.optionalDependencies ?? {})) {
      const path = `node_modules/${name}`;
      const platform = platformOf(name);
      if (lock.packages[path] !== undefined || platform === undefined || !EXACT_VERSION.test(version)) continue;
      missing.push({ path, version, dev: entry.dev === true, platform });
    }
  }
  return missing;
}

/** The lockfile with an entry for each missing build, paths in npm's order. */
export function completed(lock: Lockfile): Lockfile {
  const added = missingBuilds(lock).map(({ path, version, dev, platform }) => [
    path,
    {
      version,
      cpu: platform.cpu,
      ...(dev ? { dev } : {}),
      ...(platform.libc && { libc: platform.libc }),
      optional: true,
      os: platform.os,
    },
  ]);
  const entries = [...Object.entries(lock.packages), ...(added as [string, LockEntry][])];
  entries.sort(([a], [b]) => a.localeCompare(b, 'en'));
  return { ...lock, packages: Object.fromEntries(entries) };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const file = fileURLToPath(new URL('../package-lock.json', import.meta.url));
  const lock = JSON.parse(readFileSync(file, 'utf8')) as Lockfile;
  const missing = missingBuilds(lock);
  if (missing.length > 0) writeFileSync(file, `${JSON.stringify(completed(lock), null, 2)}\n`);
  console.log(`package-lock.json: ${missing.length} platform builds added`);
}
