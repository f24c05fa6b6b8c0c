/**
 * The defaults by Go type. The decoder of built-in kinds looks them up per type, so that a default applies wherever its type occurs: a
 * container is the same in a pod, a template and a template inside a CronJob.
 */
import { CORE_DEFAULTS } from './core.ts';
import { OTHER_DEFAULTS } from './others.ts';
import type { Defaulting } from './rules.ts';
import { WORKLOAD_DEFAULTS } from './workloads.ts';

const ALL = new Map(Object.entries({ ...CORE_DEFAULTS, ...OTHER_DEFAULTS, ...WORKLOAD_DEFAULTS }));

/** Returns the defaults of a Go type like `core/v1.PodSpec`; undefined for most. */
export function defaultsOf(goType: string): Defaulting | undefined {
  return ALL.get(goType);
}
