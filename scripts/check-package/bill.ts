/**
 * Compares a bill of materials with the artifact it describes: everything inside is listed, and everything listed is inside.
 *
 * Owns: the comparison. Does not own: what is listed (`package/sbom.ts`).
 */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { BILL } from '../package/build.ts';
import { type Bill, type Component, sha256 } from '../package/sbom.ts';
import { FOREIGN_DATA } from '../package/shipped.ts';
import { foreignName } from '../package/standalone.ts';
import { standaloneFolder } from './steps.ts';

const PACKAGE = /(?:^|\/)node_modules\/((?:@[^/]+\/)?[^/@]+)\/package\.json$/;

/** The archive and the image: Node, the packages, the data, and nothing else. */
export function checkArchiveBill(): void {
  checkFolderBill(standaloneFolder());
}

export function checkFolderBill(folder: string): void {
  const bill = read(join(folder, BILL));
  const foreign = foreignName(folder);
  if (foreign !== undefined) throw new Error(`the folder contains "${foreign}", which is not part of any component`);
  expectSame('packages', installedPackages(join(folder, 'app')), listedPackages(bill));
  expectSame('files of data', dataFiles(folder, 'app/dist'), listedFiles(bill));
  const [node] = bill.components.filter(({ type }) => type === 'platform');
  expectSame('Node', [sha256(join(folder, 'node', 'bin', 'node'))], [node?.hashes?.[0]?.content ?? 'no digest']);
}

/**
 * Checks the unpacked npm package, and a project that it was installed into. The package does not contain its dependencies: the bill has
 * the versions of our lockfile. npm installs these versions of direct dependencies, but may take newer versions of indirect ones.
 */
export function checkPackageBill(unpacked: string, project: string): void {
  const bill = read(join(unpacked, 'dist', BILL));
  expectSame('files of data', dataFiles(unpacked, 'dist'), listedFiles(bill));
  const installed = installedPackages(project).filter((one) => !one.startsWith('stalemate@'));
  const nameOf = (one: string): string => one.replace(/@[^@]*$/, '');
  expectSame('packages', installed.map(nameOf), listedPackages(bill).map(nameOf));
  const direct = new Set(bill.dependencies[0]?.dependsOn ?? []);
  const named = listedPackages(bill, ({ purl = '' }) => direct.has(purl));
  expectSame(
    'named packages',
    named.filter((one) => installed.includes(one)),
    named,
  );
  const newer = installed.filter((one) => !listedPackages(bill).includes(one));
  if (newer.length > 0) console.log(`npm installed versions that are not in the lockfile: ${newer.join(', ')}`);
}

function read(file: string): Bill {
  return JSON.parse(readFileSync(file, 'utf8')) as Bill;
}

/** `name@version` of each installed package. */
function installedPackages(folder: string): readonly string[] {
  return globSync('node_modules/**/package.json', { cwd: folder })
    .filter((path) => PACKAGE.test(path))
    .map((path) => {
      const { version } = JSON.parse(readFileSync(join(folder, path), 'utf8')) as { readonly version: string };
      return `${PACKAGE.exec(path)?.[1] ?? path}@${version}`;
    });
}

function listedPackages({ components }: Bill, isMeant: (one: Component) => boolean = () => true): readonly string[] {
  return components
    .filter((one) => one.type === 'library' && isMeant(one))
    .map(({ group, name, version }) => `${group === undefined ? '' : `${group}/`}${name}@${version}`);
}

/** `path sha256` of each file. */
function dataFiles(folder: string, dist: string): readonly string[] {
  return globSync(`${dist}/**/*.*`, { cwd: folder })
    .filter((path) => FOREIGN_DATA.some(({ files }) => files.test(path)))
    .map((path) => `${path} ${sha256(join(folder, path))}`);
}

function listedFiles({ components }: Bill): readonly string[] {
  return components.flatMap(({ components: files = [] }) =>
    files.map(({ name, hashes }) => `${name} ${hashes?.[0]?.content}`),
  );
}

export function expectSame(what: string, inside: readonly string[], listed: readonly string[]): void {
  const unlisted = inside.filter((one) => !listed.includes(one));
  const absent = listed.filter((one) => !inside.includes(one));
  if (inside.length > 0 && unlisted.length === 0 && absent.length === 0) return;
  throw new Error(
    `${what}: missing from ${BILL}: ${unlisted.join(', ') || 'none'}; listed but not inside: ${absent.join(', ') || 'none'}`,
  );
}
