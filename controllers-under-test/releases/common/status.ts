/** The status of a release: what it should say, beside what others say in it. */
import { isDeepStrictEqual } from 'node:util';
import type { Release, ReleaseCondition, ReleaseStatus } from './types.ts';

export const RELEASED = 'Released';

/** The status that says so, with the conditions of others as they are; the same object when it says so already. */
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

/** The list with our condition in it, in the place it had. The time of transition moves only when the status does. */
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
