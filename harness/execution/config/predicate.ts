/** A user's own claim about objects, as a function. */
import type { KubeObject } from 'stalemate-apiserver/objects/object';

export interface Predicate {
  /** Kebab-case, as given to `--property`. */
  readonly name: string;
  /** The resource that the claim is about: `pods`, `widgets.example.com`. */
  readonly resource: string;
  /**
   * Returns whether the claim holds for an object; a returned string is the reason why it does not. `objects` are all objects that
   * exist at that moment. `before` is the previous version of the object, if a change is judged. `check` must be pure.
   */
  check(object: KubeObject, objects: readonly KubeObject[], before?: KubeObject): boolean | string;
  /** Whether a change of another object can make the claim false. Default: true if `check` takes `objects` and not `before`. */
  readonly looksAround?: boolean;
}
