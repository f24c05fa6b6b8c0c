/**
 * Resources that record events or leadership rather than desired state: no client declares how many of them exist or what they contain.
 * Pure.
 */

/** Reports whether the resource is an Event. */
export function isEvent(resource: string): boolean {
  return resource === 'events' || resource === 'events.events.k8s.io';
}

/** Reports whether the resource is a Lease. */
export function isLease(resource: string): boolean {
  return resource === 'leases.coordination.k8s.io';
}

/** Reports whether the resource is an Event or a Lease. */
export function isAside(resource: string): boolean {
  return isEvent(resource) || isLease(resource);
}
