/** Kinds that say what happened or who leads, not what there is: no client declares how many there are, and what is in them. Pure. */

/** Records of what happened. */
export function isEvent(resource: string): boolean {
  return resource === 'events' || resource === 'events.events.k8s.io';
}

/** Records and locks. */
export function isAside(resource: string): boolean {
  return isEvent(resource) || resource === 'leases.coordination.k8s.io';
}
