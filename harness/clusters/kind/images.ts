/**
 * Loads images of the engine into the node of a kind cluster; the node never pulls any.
 *
 * kind copies images only from docker; for other engines they are loaded as an archive. Start at {@link loadImage}.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { HarnessError } from '../../model/errors.ts';
import { called } from './cli.ts';
import type { Engine } from './engine.ts';

/** Returns the image's id, which identifies its content; undefined if the engine does not have the image. */
export async function imageId(engine: Engine, image: string): Promise<string | undefined> {
  const { code, stdout } = await called([engine, 'image', 'inspect', '--format', '{{.Id}}', image]);
  return code === 0 ? stdout.trim() : undefined;
}

/** Reports whether the engine has the image. */
export async function hasImage(engine: Engine, image: string): Promise<boolean> {
  return (await imageId(engine, image)) !== undefined;
}

/** @throws {CLUSTER_UNAVAILABLE} if the engine does not have the target's image. */
export async function checkImage(engine: Engine, image: string): Promise<void> {
  if (await hasImage(engine, image)) return;
  throw new HarnessError(
    'CLUSTER_UNAVAILABLE',
    `${engine} has no image "${image}", expected the one that the target runs from; build it ("${engine} build -t ${image} ."), fetch it ("${engine} pull ${image}"), or name another one with --image`,
  );
}

/** Returns the name of an image in the node: podman prefixes unqualified names with `localhost/`. */
export function nameInNode(engine: Engine, image: string): string {
  const [first = '', ...rest] = image.split('/');
  const hasHost = rest.length > 0 && (/[.:]/.test(first) || first === 'localhost');
  return engine === 'podman' && !hasHost ? `localhost/${image}` : image;
}

/** Returns the commands that load an image; `archive` is a path that may be written. */
export function loadCommands(
  engine: Engine,
  image: string,
  cluster: string,
  archive: string,
): readonly (readonly [string, ...string[]])[] {
  if (engine === 'docker') return [['kind', 'load', 'docker-image', image, '--name', cluster]];
  return [
    [engine, 'save', '--output', archive, image],
    ['kind', 'load', 'image-archive', archive, '--name', cluster],
  ];
}

/**
 * Loads an image; resolves with its name in the node.
 *
 * @throws {CLUSTER_UNAVAILABLE} if loading it fails.
 */
export async function loadImage(
  engine: Engine,
  image: string,
  cluster: string,
  env: { readonly [name: string]: string | undefined },
): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'stalemate-image-'));
  try {
    for (const command of loadCommands(engine, image, cluster, join(folder, 'image.tar'))) {
      const { code, stderr } = await called(command, { env });
      if (code === 0) continue;
      throw new HarnessError(
        'CLUSTER_UNAVAILABLE',
        `the image "${image}" could not be put into the kind cluster: "${command.join(' ')}" ended with ${code ?? 'a signal'}: ${stderr.trim().split('\n').at(-1) ?? ''}`,
      );
    }
    return nameInNode(engine, image);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
