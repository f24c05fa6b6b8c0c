/**
 * The user's own claims as CEL expressions, in the dialect of Kubernetes, for YAML and JSON configurations.
 *
 * `object` is the version to judge, `oldObject` the previous version, `objects` all objects that exist at that moment; an expression that
 * reads `oldObject` is about changes, and does not apply to new objects. Owns: compiling, with a message that names the claim. Does not
 * own: when a claim is evaluated (`predicates.ts`), CEL (`apiserver/cel`).
 */
import { compileExpression, toDynamic } from 'stalemate-apiserver/cel';
import type { KubeObject } from 'stalemate-apiserver/objects/object';
import type { HarnessError } from '../../model/errors.ts';
import type { Predicate } from './predicate.ts';
import { configInvalid } from '../config-invalid.ts';

export interface CelClaim {
  /** Kebab-case, as given to `--property`. */
  readonly name: string;
  /** The resource that the claim is about: `pods`, `widgets.example.com`. */
  readonly resource: string;
  /** A boolean expression over `object`, `oldObject` and `objects`: `object.status.replicas <= object.spec.replicas`. */
  readonly cel: string;
}

/** When a claim is evaluated: for each change, or for a state. */
export type CelMode = 'change' | 'state';

/**
 * Compiles a claim to a predicate.
 *
 * @throws {CONFIG_INVALID} naming the claim and the position in its expression.
 */
export function celPredicate({ name, resource, cel }: CelClaim, mode: CelMode): Predicate {
  const variables: { readonly [name: string]: string } =
    mode === 'change' ? { object: 'dyn', oldObject: 'dyn', objects: 'dyn' } : { object: 'dyn', objects: 'dyn' };
  const compiled = compileExpression(cel, variables);
  if (compiled.outcome === 'refused') throw invalid(name, mode, compiled.message);
  if (compiled.type !== 'bool' && compiled.type !== 'dyn') {
    throw invalid(name, mode, `it gives a ${compiled.type}`);
  }
  const asksOld = compiled.reads.has('oldObject');
  const asksAll = compiled.reads.has('objects');
  return {
    name,
    resource,
    looksAround: asksAll && !asksOld,
    check: (object: KubeObject, objects: readonly KubeObject[], before?: KubeObject) => {
      if (asksOld && before === undefined) return true;
      const evaluated = compiled.evaluate({
        object: toDynamic(object),
        ...(asksAll ? { objects: objects.map((one) => toDynamic(one)) } : {}),
        ...(before === undefined ? {} : { oldObject: toDynamic(before) }),
      });
      // Throws instead of returning a result: a claim that cannot be evaluated neither holds nor is violated.
      if (evaluated.outcome === 'error') {
        throw new TypeError(`${evaluated.message} in "${cel}": check has(…) first for what may be absent`);
      }
      return evaluated.value === true || `"${cel}" is ${String(evaluated.value)}`;
    },
  };
}

function invalid(name: string, mode: CelMode, problem: string): HarnessError {
  const variables = mode === 'change' ? '"object", "oldObject" and "objects"' : '"object" and "objects"';
  return configInvalid(
    `the claim "${name}" is not a valid CEL expression: ${problem}; expected one over ${variables} that is true or false`,
  );
}
