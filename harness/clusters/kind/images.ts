/**
 * Images of the engine, put into the node of a kind cluster, where nothing is ever pulled.
 *
 * kind copies images out of docker alone; from the others they go by an archive. Start at {@link loadImage}.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { HarnessError } from '../../model/errors.ts';
import { called } from './cli.ts';
import type { Engine } from './engine.ts';

/** What names its content; undefined when the engine does not have it. */
export async function imageId(engine: Engine, image: string): Promise<string | undefined> {
  const { code, stdout } = await called([engine, 'image', 'inspect', '--format', '{{.Id}}', image]);
  return code === 0 ? stdout.trim() : undefined;
}

/** Whether the engine has it. */
export async function hasImage(engine: Engine, image: string): Promise<boolean> {
  return (await imageId(engine, image)) !== undefined;
}

/** @throws {CLUSTER_UNAVAILABLE} when the engine does not have the image that the target is. */
export async function checkImage(engine: Engine, image: string): Promise<void> {
  if (await hasImage(engine, image)) return;
  throw new HarnessError(
    'CLUSTER_UNAVAILABLE',
    `${engine} has no image "${image}", expected the one that the target runs from; build it ("${engine} build -t ${image} ."), fetch it ("${engine} pull ${image}"), or name another one with --image`,
  );
}

/** What the node calls an image: podman says of those that come from nowhere that they are from here. */
export function nameInNode(engine: Engine, image: string): string {
  const [first = '', ...rest] = image.split('/');
  const hasHost = rest.length > 0 && (/[.:]/.test(first) || first === 'localhost');
  return engine === 'podman' && !hasHost ? `localhost/${image}` : image;
}

/** What is called to put it there; `archive` is a file that may be written. */
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

/** Resolves with what the node calls it. @throws {CLUSTER_UNAVAILABLE} when it does not get there. */
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
