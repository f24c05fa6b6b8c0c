/**
 * Waivers (findings that a project accepts for a limited time) and declared fields.
 *
 * Owns: the types, and what a waiver covers. A waiver has a reason and an expiry date, so that none is forgotten.
 */
import { roleOf } from './actor.ts';
import type { Violation } from './check-result.ts';
import type { History } from './history.ts';
import type { Workload } from './workload.ts';
import type { Declarations, DeclaredField } from './declarations.ts';

export interface Waiver {
  /** `no-lost-update`, or a property of the project's own. */
  readonly property: string;
  /** `deployments.apps`; default: any. */
  readonly kind?: string;
  /** `spec.replicas`, including everything below it; default: any. */
  readonly field?: string;
  /** The kind of writer that has to be involved, `autoscaler`; default: any. */
  readonly writer?: string;
  readonly reason: string;
  /** The last day on which it is valid, `2027-01-31`. */
  readonly expires: string;
}

/** The parts of a violation that a waiver can match. */
export interface Waivable {
  readonly property: string;
  readonly kind: string;
  readonly field: string;
  /** The kinds of the writers involved, including those that make the user's changes. */
  readonly writers: readonly string[];
}

export function waivableOf({ signature, operations }: Violation, history: History, { programs }: Workload): Waivable {
  const { property, kind, field } = signature;
  const byId = new Map(history.operations.map((operation) => [operation.id, operation.actor]));
  const actors = new Set(operations.flatMap((id) => byId.get(id) ?? []));
  const writers = programs.filter(({ actor }) => actors.has(actor) && roleOf(actor) !== 'target');
  return { property, kind, field, writers: [...new Set(writers.map(({ writer }) => writer))] };
}

/** Returns the first waiver that covers a violation. */
export function waiverFor(waivers: readonly Waiver[], violation: Waivable): Waiver | undefined {
  return waivers.find(
    ({ property, kind, field, writer }) =>
      property === violation.property &&
      (kind === undefined || kind === violation.kind) &&
      (field === undefined || isWithin(violation.field, field)) &&
      (writer === undefined || violation.writers.includes(writer)),
  );
}

/** Reports whether a leaf is the declared field or below it. */
function isDeclared(fields: readonly DeclaredField[], resource: string, path: string): boolean {
  return fields.some(({ kind, field }) => kind === resource && isWithin(path, field));
}

/** Reports whether the user excludes a leaf from every comparison: its updates cannot be lost, and it may have any value at rest. */
export function isPutAside(declared: Declarations | undefined, resource: string, path: string): boolean {
  if (declared === undefined) return false;
  return isDeclared(declared.coOwned, resource, path) || isDeclared(declared.volatile, resource, path);
}

/**
 * Reports whether a path is within a field: `spec.template.x` and `spec.template["x"]` are within `spec.template`, `spec.templates` is not.
 */
function isWithin(path: string, field: string): boolean {
  return path === field || path.startsWith(`${field}.`) || path.startsWith(`${field}[`);
}

/** Returns `no-lost-update of deployments.apps spec.replicas beside autoscaler`. */
export function waiverText({ property, kind, field, writer }: Omit<Waiver, 'reason' | 'expires'>): string {
  const about = [kind, field].filter((part) => part !== undefined).join(' ');
  return `${property}${about === '' ? '' : ` of ${about}`}${writer === undefined ? '' : ` beside ${writer}`}`;
}
