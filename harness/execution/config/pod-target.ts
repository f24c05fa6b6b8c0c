/**
 * A target that is an image and runs as a pod in a kind cluster: which options apply to it, and which do not.
 *
 * Start at {@link podOf}.
 */
import { resolve } from 'node:path';
import { mapsOf, textOf } from 'stalemate-apiserver/objects/json';
import { portNames } from '../../actors/process/command.ts';
import type { ProcessTarget, ProjectManifests } from '../../model/counterexample.ts';
import type { HarnessError } from '../../model/errors.ts';
import { given } from '../../model/given.ts';
import type { StalemateOptions } from './options.ts';
import { resolveCommand } from './process-target.ts';
import { targetWorkload } from '../project/deployment.ts';
import { configInvalid } from '../config-invalid.ts';

/** Reports whether the target is a pod: the options name an image, or the manifests determine what runs in the kind cluster. */
export function isInCluster({ image, cluster, manifests = [], command, target }: StalemateOptions): boolean {
  if (image !== undefined) return true;
  return cluster === 'kind' && manifests.length > 0 && command === undefined && target === undefined;
}

/** Returns the target. @throws {CONFIG_INVALID} for options that apply only to a program on this machine. */
export function podOf(options: StalemateOptions, cwd: string): ProcessTarget {
  const { image = '', target, command = [], env = {}, ready, readyWithinMs, graceMs } = options;
  if (target !== undefined)
    throw configInvalid(
      `got both target "${target}" and an image "${image}", expected one of them: a module, or an image`,
    );
  for (const name of ['directory', 'network', 'fileSystem', 'time', 'metrics'] as const)
    if (options[name] !== undefined)
      throw configInvalid(
        `got "${name}" for an image, which runs in a pod of its own; expected it for a program; leave it out`,
      );
  if (ready?.startsWith('url:') === true)
    throw configInvalid(`got ready "${ready}" for an image, whose pod is not probed, expected "log:…" or "watch:…"`);
  const words = [...command, ...Object.values(env)];
  const placeholder = words
    .map((word) => /\{(?:kubeconfig|namespace|files|certs|effects)\}/.exec(word)?.[0])
    .find(Boolean);
  const found = placeholder ?? (portNames(words).length > 0 ? '{port}' : undefined);
  if (found !== undefined)
    throw configInvalid(
      `got "${found}" in the arguments or variables of an image, which nothing replaces in a pod; there the API server is found as in any pod; leave it out`,
    );
  const manner = { inCluster: true, ...given({ ready, readyWithinMs, graceMs }) };
  return resolveCommand({ command: [image, ...command], directory: resolve(cwd), env, manner });
}

export function notInKind({ image, cluster }: StalemateOptions): HarnessError {
  return configInvalid(
    `got image "${image ?? ''}" with cluster "${cluster ?? ''}", expected "kind": there it runs as a pod; leave "cluster" out, or give the program itself (-- COMMAND)`,
  );
}

/** Returns the images of the target's pod, starting with the target's own; none for a target that is not a pod. */
export function imagesFor({
  process,
  project,
}: {
  readonly process: ProcessTarget | null;
  readonly project: ProjectManifests | null;
}): readonly string[] {
  if (process?.inCluster !== true) return [];
  const pod = project === null ? undefined : targetWorkload(project, '')?.pod;
  const beside = [...mapsOf(pod?.['initContainers']), ...mapsOf(pod?.['containers'])].map(({ image }) => textOf(image));
  return [...new Set([process.command[0] ?? '', ...beside])].filter((image) => image !== '');
}
