/** A claim of the user's own about objects, as a function. */
import type { KubeObject } from '../../model/object.ts';

export interface Predicate {
  /** Kebab-case, as given to `--property`. */
  readonly name: string;
  /** The resource that it is about: `pods`, `widgets.example.com`. */
  readonly resource: string;
  /**
   * Whether the claim holds for an object. `objects` is everything that exists at that moment. A text is the reason why it does
   * not hold. `before` is the version that the object replaced, if it is a change that is judged. Must be pure.
   */
  check(object: KubeObject, objects: readonly KubeObject[], before?: KubeObject): boolean | string;
  /** Whether it can become false by a change of another object; by default, whether `check` takes `objects` and no `before`. */
  readonly looksAround?: boolean;
}
