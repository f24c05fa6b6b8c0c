/**
 * The bills of materials beside what they are about: nothing is inside that is not listed, and nothing is listed that is not inside.
 *
 * Owns: the comparison. What is listed is `package/sbom.ts`.
 */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { BILL } from '../package/build.ts';
import { type Bill, type Component, sha256 } from '../package/sbom.ts';
import { FOREIGN_DATA } from '../package/shipped.ts';
import { foreignName } from '../package/standalone.ts';
import { standaloneFolder } from './steps.ts';

const PACKAGE = /(?:^|\/)node_modules\/((?:@[^/]+\/)?[^/@]+)\/package\.json$/;

/** The archive and the image: Node, the packages, the data, and nothing beside them. */
export function checkArchiveBill(): void {
  checkFolderBill(standaloneFolder());
}

export function checkFolderBill(folder: string): void {
  const bill = read(join(folder, BILL));
  const foreign = foreignName(folder);
  if (foreign !== undefined) throw new Error(`the folder holds "${foreign}", which no component is`);
  expectSame('packages', installedPackages(join(folder, 'app')), listedPackages(bill));
  expectSame('files of data', dataFiles(folder, 'app/dist'), listedFiles(bill));
  const [node] = bill.components.filter(({ type }) => type === 'platform');
  expectSame('Node', [sha256(join(folder, 'node', 'bin', 'node'))], [node?.hashes?.[0]?.content ?? 'no digest']);
}

/**
 * The npm package, unpacked, and a project that it was installed into. It holds none of its dependencies: the bill has the versions of
 * our lockfile, which npm takes of those that it names itself; others may be newer ones.
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
  if (newer.length > 0) console.log(`npm took other versions than the lockfile has of ${newer.join(', ')}`);
}

function read(file: string): Bill {
  return JSON.parse(readFileSync(file, 'utf8')) as Bill;
}

/** `name@version`, as installed. */
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

/** `path sha256` */
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
    `${what}: not in ${BILL}: ${unlisted.join(', ') || 'none'}; listed and not inside: ${absent.join(', ') || 'none'}`,
  );
}
