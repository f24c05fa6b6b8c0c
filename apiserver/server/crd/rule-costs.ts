/**
 * Cost limits of the rules of a definition: kube-apiserver's limits for one expression and for a schema, and the messages.
 *
 * Does not own: the estimate of one evaluation (`../cel/estimate`), which is multiplied here by how often a rule can run. Mirrors
 * apiextensions-apiserver `apis/apiextensions/validation`.
 */
import type { JsonObject } from '../../objects/object.ts';
import { fieldForbidden, type FieldError } from '../refusal.ts';
import { times, UNBOUNDED } from '../cel/estimate/sizes.ts';

/** The limit for one expression over all its evaluations on one object. */
const EXPRESSION_COST_MAX = 10_000_000;
/** The limit for all expressions of the schema of one version. */
const SCHEMA_COST_MAX = 100_000_000;
/** The minimum cost of an expression that is listed when the total exceeds its limit. */
const NAMED_COST_MIN = SCHEMA_COST_MAX / 100;
const NAMED_MAX = 4;

/** How often a part of a schema can occur in one object; unbounded when only the request size limits that. */
export type Cardinality = number | 'unbounded';

/** Returns the maximum number of times that a direct child of a schema can occur. `cardinality`: the same for the schema itself. */
export function cardinalityBelow(schema: JsonObject, cardinality: Cardinality): Cardinality {
  const most = mostBelow(schema);
  return cardinality === 'unbounded' || most === 'unbounded' ? 'unbounded' : times(cardinality, most);
}

function mostBelow(schema: JsonObject): Cardinality {
  const bound = (value: unknown): Cardinality => (typeof value === 'number' ? Math.max(0, value) : 'unbounded');
  if (schema['type'] === 'array') return bound(schema['maxItems']);
  const additional = schema['additionalProperties'];
  if (schema['type'] === 'object' && additional !== undefined && additional !== null)
    return bound(schema['maxProperties']);
  return 1;
}

/** The total cost of the expressions of one schema. */
export class RuleCosts {
  #total = 0;
  #expensive: readonly { readonly field: string; readonly cost: number }[] = [];

  /** Adds an expression. Returns an error if the expression exceeds its own limit. */
  add(field: string, what: 'rule' | 'messageExpression', cost: number): readonly FieldError[] {
    this.#total = Math.min(this.#total + cost, UNBOUNDED);
    if (cost >= NAMED_COST_MIN)
      this.#expensive = [...this.#expensive, { field, cost }]
        .toSorted((left, right) => right.cost - left.cost)
        .slice(0, NAMED_MAX);
    if (cost <= EXPRESSION_COST_MAX) return [];
    return [fieldForbidden(field, excess(`estimated ${what} cost`, cost / EXPRESSION_COST_MAX))];
  }

  /** Returns an error if the total exceeds its limit. */
  errors(at: string): readonly FieldError[] {
    if (this.#total <= SCHEMA_COST_MAX) return [];
    const contributed = 'contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema';
    const all = 'x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema';
    return [
      ...this.#expensive.map(({ field }) => fieldForbidden(field, contributed)),
      fieldForbidden(at, excess(all, this.#total / SCHEMA_COST_MAX)),
    ];
  }
}

function excess(what: string, factor: number): string {
  const advice =
    'try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared';
  return `${what} exceeds budget by factor of ${factorText(factor)} (${advice})`;
}

function factorText(factor: number): string {
  if (factor > 100) return 'more than 100x';
  // With a single digit, a factor this close to the limit would print as 1.0.
  if (factor < 1.5) return `${factor.toFixed(6)}x`;
  // Go rounds half to even.
  const tenths = factor * 10;
  const below = Math.floor(tenths);
  const isBetween = tenths - below === 0.5 && below / 10 + 0.05 === factor;
  return `${isBetween && below % 2 === 0 ? (below / 10).toFixed(1) : factor.toFixed(1)}x`;
}
