/**
 * The bill of materials of the image: that of the folder that is copied into it, and its base with the Debian packages.
 *
 * Owns: reading dpkg's database from an image, without starting a container. Debian packages have no digests there; the digest of the base
 * covers them.
 */
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BILL } from '../package/build.ts';
import { type Bill, type Component, withSerialNumber } from '../package/sbom.ts';
import { REPOSITORY_ROOT } from '../repository-files.ts';
import { engine } from './engine.ts';

/** The Debian packages of an image. */
export interface Debian {
  /** The text of `/var/lib/dpkg/status`; empty if the base is not Debian. */
  readonly status: string;
  /** The text of a package's `copyright`, if there is one. */
  readonly copyright: (name: string) => string | undefined;
}

export interface Image {
  readonly name: string;
  /** The name given for the build: `debian:12-slim@sha256:…`. */
  readonly base: string;
  readonly debian: Debian;
}

/** The base named in `ci/Dockerfile`. */
export function defaultBase(): string {
  const [, base] = /^ARG BASE=(.+)$/m.exec(readFileSync(join(REPOSITORY_ROOT, 'ci', 'Dockerfile'), 'utf8')) ?? [];
  if (base === undefined) throw new Error('ci/Dockerfile names no base, expected a line "ARG BASE=IMAGE"');
  return base;
}

/** @param context - The folder that was copied into the image, including its own bill of materials. */
export function billOfImage(name: string, base: string, context: string): Bill {
  const archive = JSON.parse(readFileSync(join(context, BILL), 'utf8')) as Bill;
  const scratch = mkdtempSync(join(tmpdir(), 'stalemate-image-'));
  const { stdout, status, stderr } = engine(['create', name]);
  const container = stdout.trim();
  if (status !== 0) throw new Error(`the image ${name} could not be read: ${stderr.trim()}`);
  try {
    for (const path of ['var/lib/dpkg/status', 'usr/share/doc'])
      engine(['cp', `${container}:/${path}`, join(scratch, path.replaceAll('/', '-'))]);
    return imageBill(archive, { name, base, debian: debianIn(scratch) });
  } finally {
    engine(['rm', container]);
    rmSync(scratch, { recursive: true, force: true });
  }
}

function debianIn(folder: string): Debian {
  const read = (path: string): string | undefined => {
    const file = join(folder, path);
    return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
  };
  return {
    status: read('var-lib-dpkg-status') ?? '',
    copyright: (name) => read(join('usr-share-doc', name, 'copyright')),
  };
}

export function imageBill(archive: Bill, { name, base, debian }: Image): Bill {
  const own = archive.metadata.component;
  const packages = debianPackages(debian);
  return withSerialNumber({
    metadata: {
      component: {
        type: 'container',
        'bom-ref': 'image',
        name,
        version: own.version ?? '',
        licenses: own.licenses ?? [],
      },
    },
    components: [own, ...archive.components, baseComponent(base, packages)],
    dependencies: [{ ref: 'image', dependsOn: [own['bom-ref'] ?? '', 'base'] }, ...archive.dependencies],
  });
}

function baseComponent(base: string, components: readonly Component[]): Component {
  const [, name = base, tag, digest] = /^(.+?)(?::([\w.-]+))?(?:@sha256:([0-9a-f]{64}))?$/.exec(base) ?? [];
  return {
    type: 'container',
    'bom-ref': 'base',
    name,
    version: tag ?? 'latest',
    ...(digest === undefined
      ? {}
      : {
          hashes: [{ alg: 'SHA-256', content: digest }],
          purl: `pkg:oci/${name.replace(/^.*\//, '')}@sha256%3A${digest}${tag === undefined ? '' : `?tag=${tag}`}`,
        }),
    components,
  };
}

function debianPackages({ status, copyright }: Debian): readonly Component[] {
  return status
    .split('\n\n')
    .map((paragraph) => (key: string) => new RegExp(`^${key}: (.+)$`, 'm').exec(paragraph)?.[1])
    .filter((field) => field('Status')?.endsWith(' installed'))
    .map((field) => {
      const [name = '', version = '', arch = ''] = [field('Package'), field('Version'), field('Architecture')];
      const purl = `pkg:deb/debian/${encodeURIComponent(name)}@${encodeURIComponent(version)}?arch=${arch}`;
      return {
        type: 'library',
        'bom-ref': purl,
        name,
        version,
        licenses: licences(copyright(name)).map((licence) => ({ license: { name: licence } })),
        purl,
      };
    })
    .toSorted((a, b) => (a.purl < b.purl ? -1 : 1));
}

/** Returns the licences in a Debian copyright file; a file without that format has to be read by a person. */
function licences(text = ''): readonly string[] {
  const named = [...text.matchAll(/^License: *(\S.*?) *$/gm)].map(([, licence = '']) => licence);
  return named.length === 0 ? ['see usr/share/doc, copyright'] : [...new Set(named)].toSorted();
}
