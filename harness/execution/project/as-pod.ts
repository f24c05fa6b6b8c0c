/** Turns the container of a Deployment into a target that runs inside a cluster with that image. Start at {@link asPod}. */
import { textOf, textsOf } from 'stalemate-apiserver/objects/json';
import type { ProcessTarget } from '../../model/counterexample.ts';
import type { HarnessError } from '../../model/errors.ts';
import { withoutElection, workloadKey, type TargetWorkload } from './deployment.ts';
import { configInvalid } from '../config-invalid.ts';

/** Completes the target from the Deployment. @throws {CONFIG_INVALID} */
export function asPod(
  started: ProcessTarget,
  workload: TargetWorkload,
  elects: boolean,
  warnings: string[],
): ProcessTarget {
  const { container } = workload;
  const [named = '', ...given] = started.command;
  const image = named === '' ? textOf(container['image']) : named;
  if (image === '')
    throw configInvalid(
      `the container "${textOf(container['name'])}" of ${workloadKey(workload.object)} names no image, expected the one that the target runs from; name it with --image`,
    );
  if (given.length > 0) return { ...started, command: [image, ...given] };
  return { ...started, command: [image, ...withoutElection(textsOf(container['args']), elects, warnings)] };
}

export function noDeployment(image: string): HarnessError {
  const what = image === '' ? 'the one that the target is' : `the one whose pod "${image}" runs in`;
  const otherwise =
    image === '' ? 'name an image with --image and the CRDs with --crds' : 'name the CRDs alone, with --crds';
  return configInvalid(`the manifests hold no Deployment, expected ${what}; add it, or ${otherwise}`);
}
