/**
 * The defaults by Go type. The decoder of built-in kinds looks them up by type, so a default applies wherever its type occurs: containers
 * get the same defaults in a pod, a template and a template inside a CronJob.
 */
import { CORE_DEFAULTS } from './core.ts';
import { OTHER_DEFAULTS } from './others.ts';
import type { Defaulting } from './rules.ts';
import { WORKLOAD_DEFAULTS } from './workloads.ts';

const ALL = new Map(Object.entries({ ...CORE_DEFAULTS, ...OTHER_DEFAULTS, ...WORKLOAD_DEFAULTS }));

/** Returns the defaults of a Go type such as `core/v1.PodSpec`; undefined for most types. */
export function defaultsOf(goType: string): Defaulting | undefined {
  return ALL.get(goType);
}
