/** Computes the status of a release; what other controllers wrote into it is kept. */
import { isDeepStrictEqual } from 'node:util';
import type { Release, ReleaseCondition, ReleaseStatus } from './types.ts';

export const RELEASED = 'Released';

/** The status of a release that is rolled out, with the conditions of other controllers. Returns the same object if nothing changes. */
export function releasedStatus(release: Release): ReleaseStatus {
  const { status = {} } = release;
  const { image } = release.spec;
  const generation = release.metadata?.generation ?? 0;
  const wanted = {
    ...status,
    observedGeneration: generation,
    image,
    conditions: withCondition(status.conditions ?? [], {
      type: RELEASED,
      status: 'True',
      reason: 'ImageRolledOut',
      message: `the deployment runs ${image}`,
    }),
  };
  return isDeepStrictEqual(wanted, status) ? status : wanted;
}

/** Replaces our condition in its place, or appends it. `lastTransitionTime` changes only with `status`. */
export function withCondition(
  conditions: readonly ReleaseCondition[],
  condition: Omit<ReleaseCondition, 'lastTransitionTime'>,
): readonly ReleaseCondition[] {
  const old = conditions.find(({ type }) => type === condition.type);
  const lastTransitionTime =
    old?.status === condition.status ? old.lastTransitionTime : `${new Date().toISOString().slice(0, 19)}Z`;
  const fresh: ReleaseCondition = { ...condition, lastTransitionTime };
  return old === undefined ? [...conditions, fresh] : conditions.map((item) => (item === old ? fresh : item));
}
