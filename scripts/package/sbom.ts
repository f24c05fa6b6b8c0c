/**
 * The bill of materials of what we ship, in CycloneDX 1.6: for the npm package, the archive, and the image.
 *
 * Owns: the listed components and their data. Reproducible: it contains no time, and its serial number is derived from its content, so that
 * the same parts give the same bytes. Why not `npm sbom`: from the lockfile alone it omits packages that development tools depend on as
 * well (npm 11).
 */
import { createHash } from 'node:crypto';
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { REPOSITORY_ROOT } from '../repository-files.ts';
import { FOREIGN_DATA, type Lock, readLock, type Shipped, shippedPackages } from './shipped.ts';

export interface Own {
  readonly name: string;
  readonly version: string;
  readonly license: string;
}

export interface Digested {
  /** A path in the package or folder, or a version. */
  readonly id: string;
  /** SHA-256 in hex. */
  readonly sha256: string;
}

export interface Parts {
  readonly lock: Lock;
  /** Data files from other projects; {@link FOREIGN_DATA} maps files to projects. */
  readonly data: readonly Digested[];
  /** The bundled Node, if there is one. */
  readonly node?: Digested;
  /** Whether the package at a path of the lockfile is included; defaults to all except development dependencies. */
  readonly isInside?: (path: string) => boolean;
}

/** A CycloneDX component, with the fields that we write. */
export interface Component {
  readonly type: string;
  readonly 'bom-ref'?: string;
  readonly group?: string;
  readonly name: string;
  readonly version?: string;
  readonly description?: string;
  readonly hashes?: readonly { readonly alg: string; readonly content: string }[];
  readonly licenses?: readonly { readonly license: { readonly id: string } | { readonly name: string } }[];
  readonly purl?: string;
  readonly components?: readonly Component[];
}

export interface Bill {
  readonly serialNumber: string;
  readonly metadata: { readonly component: Component };
  readonly components: readonly Component[];
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[];
}

export function billOfMaterials(own: Own, { lock, data, node, isInside = () => true }: Parts): Bill {
  const packages = shippedPackages(lock).filter(({ path }) => isInside(path));
  const refOf = new Map(packages.map((one) => [one.path, npmPurl(one)]));
  const direct = Object.keys(lock.packages['']?.dependencies ?? {}).flatMap(
    (name) => refOf.get(`node_modules/${name}`) ?? [],
  );
  const root = npmPurl(own);
  return withSerialNumber({
    metadata: {
      component: {
        type: 'application',
        'bom-ref': root,
        name: own.name,
        version: own.version,
        licenses: [{ license: { id: own.license } }],
        purl: root,
      },
    },
    components: [
      ...unique(packages.map(packageComponent)),
      ...FOREIGN_DATA.map(({ name, version, licence, files }) => ({
        type: 'data',
        'bom-ref': name,
        name,
        version,
        description:
          'kinds, schemas, types and default roles of the API server, generated from its answers and sources',
        licenses: [{ license: { id: licence } }],
        purl: `pkg:github/kubernetes/kubernetes@v${version}`,
        components: data
          .filter(({ id }) => files.test(id))
          .map(({ id, sha256 }) => ({ type: 'file', name: id, hashes: [{ alg: 'SHA-256', content: sha256 }] })),
      })),
      ...(node === undefined ? [] : [nodeComponent(node)]),
    ],
    dependencies: [
      {
        ref: root,
        dependsOn: [...direct, ...FOREIGN_DATA.map(({ name }) => name), ...(node === undefined ? [] : ['node'])],
      },
      ...packages
        .map((one) => ({ ref: npmPurl(one), dependsOn: one.needs.flatMap((path) => refOf.get(path) ?? []) }))
        .filter(({ ref }, index, all) => all.findIndex((one) => one.ref === ref) === index),
    ],
  });
}

/** Adds the header. The serial number is a version 8 UUID, whose bits may be chosen freely: here they are from a digest. */
export function withSerialNumber(content: Omit<Bill, 'serialNumber'>): Bill {
  const digest = createHash('sha256').update(JSON.stringify(content)).digest('hex');
  const [, a, b, c, d, e] = /^(.{8})(.{4}).(.{3}).(.{3})(.{12})/.exec(digest) ?? [];
  return {
    $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    serialNumber: `urn:uuid:${a}-${b}-8${c}-8${d}-${e}`,
    version: 1,
    ...content,
  } as Bill;
}

/**
 * Writes the bill of materials of a folder that is distributed.
 *
 * @param file - Where to write it, relative to the folder.
 * @param dist - The folder of the compiled package, relative to the folder.
 */
export function writeBill(
  folder: string,
  file: string,
  dist: string,
  more: Pick<Parts, 'node' | 'isInside'> = {},
): void {
  const own = JSON.parse(readFileSync(join(REPOSITORY_ROOT, 'package.json'), 'utf8')) as Own;
  const data = globSync(`${dist}/**`, { cwd: folder, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
    .filter((path) => FOREIGN_DATA.some(({ files }) => files.test(path)))
    .toSorted()
    .map((path) => ({ id: path, sha256: sha256(join(folder, path)) }));
  const bill = billOfMaterials(own, { lock: readLock(), data, ...more });
  writeFileSync(join(folder, file), `${JSON.stringify(bill, null, 2)}\n`);
}

export function sha256(file: string): string {
  return createHash('sha256').update(readFileSync(file)).digest('hex');
}

function packageComponent(one: Shipped): Component {
  const [, group, name = one.name] = /^(?:(@[^/]+)\/)?(.*)$/.exec(one.name) ?? [];
  return {
    type: 'library',
    'bom-ref': npmPurl(one),
    ...(group === undefined ? {} : { group }),
    name,
    version: one.version,
    hashes: [{ alg: 'SHA-512', content: Buffer.from(one.integrity.replace(/^sha512-/, ''), 'base64').toString('hex') }],
    licenses: [{ license: { id: one.licence } }],
    purl: npmPurl(one),
  };
}

function nodeComponent({ id: version, sha256: content }: Digested): Component {
  return {
    type: 'platform',
    'bom-ref': 'node',
    name: 'node',
    version,
    description: 'the binary; what it is made of is in its LICENSE',
    hashes: [{ alg: 'SHA-256', content }],
    licenses: [{ license: { id: 'MIT' } }],
    purl: `pkg:github/nodejs/node@v${version}`,
  };
}

/** The same package may be installed in two folders. */
function unique(components: readonly Component[]): readonly Component[] {
  return [...new Map(components.map((one) => [one['bom-ref'], one])).values()];
}

function npmPurl({ name, version }: { readonly name: string; readonly version: string }): string {
  return `pkg:npm/${name.replace('@', '%40')}@${version}`;
}
