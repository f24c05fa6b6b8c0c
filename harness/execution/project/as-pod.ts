/** Turns the container of a Deployment into a target that runs inside a cluster with that image. Start at {@link asPod}. */
import { textOf, textsOf } from 'stalemate-apiserver/objects/json';
import type { ProcessTarget } from '../../model/counterexample.ts';
import type { HarnessError } from '../../model/errors.ts';
import { LEADER_ELECTION, workloadKey, type TargetWorkload } from './deployment.ts';
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
  const args = textsOf(container['args']);
  const kept = elects ? args : args.filter((word) => !LEADER_ELECTION.test(word));
  if (kept.length < args.length)
    warnings.push(
      `of the Deployment's arguments, ${args.filter((word) => LEADER_ELECTION.test(word)).join(' ')} is dropped: after each crash, the ` +
        'next incarnation would wait until the lease of the last one expires; declare leader election (--leader-election) to keep it',
    );
  return { ...started, command: [image, ...kept] };
}

export function noDeployment(image: string): HarnessError {
  const what = image === '' ? 'the one that the target is' : `the one whose pod "${image}" runs in`;
  const otherwise =
    image === '' ? 'name an image with --image and the CRDs with --crds' : 'name the CRDs alone, with --crds';
  return configInvalid(`the manifests hold no Deployment, expected ${what}; add it, or ${otherwise}`);
}
