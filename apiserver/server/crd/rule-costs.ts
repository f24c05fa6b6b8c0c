/**
 * What the rules of a definition may cost: kube-apiserver's limits for one expression and for a schema, and its words.
 *
 * Does not own: the estimate of one evaluation (`../cel/estimate`). Here it is multiplied by how often a rule can run.
 * Mirrors apiextensions-apiserver `apis/apiextensions/validation`.
 */
import type { JsonObject } from '../../objects/object.ts';
import { fieldForbidden, type FieldError } from '../refusal.ts';
import { times, UNBOUNDED } from '../cel/estimate/sizes.ts';

/** For one expression, wherever it can run in one object. */
const EXPRESSION_COST_MAX = 10_000_000;
/** For all expressions of the schema of one version. */
const SCHEMA_COST_MAX = 100_000_000;
/** Expressions that cost less are not named when all together cost too much. */
const NAMED_COST_MIN = SCHEMA_COST_MAX / 100;
const NAMED_MAX = 4;

/** How often a place of a schema can be in one object; unbounded is what only the size of requests limits. */
export type Cardinality = number | 'unbounded';

/** How often what is right below a schema can be in one object. */
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

/** What the expressions of one schema cost together. */
export class RuleCosts {
  #total = 0;
  #expensive: readonly { readonly field: string; readonly cost: number }[] = [];

  /** Adds an expression. Returns what is wrong with it alone. */
  add(field: string, what: 'rule' | 'messageExpression', cost: number): readonly FieldError[] {
    this.#total = Math.min(this.#total + cost, UNBOUNDED);
    if (cost >= NAMED_COST_MIN)
      this.#expensive = [...this.#expensive, { field, cost }]
        .toSorted((left, right) => right.cost - left.cost)
        .slice(0, NAMED_MAX);
    if (cost <= EXPRESSION_COST_MAX) return [];
    return [fieldForbidden(field, excess(`estimated ${what} cost`, cost / EXPRESSION_COST_MAX))];
  }

  /** What is wrong with all of them together. */
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
  // So near the limit one digit would say 1.0.
  if (factor < 1.5) return `${factor.toFixed(6)}x`;
  // Go rounds what is exactly between two digits to the even one.
  const tenths = factor * 10;
  const below = Math.floor(tenths);
  const isBetween = tenths - below === 0.5 && below / 10 + 0.05 === factor;
  return `${isBetween && below % 2 === 0 ? (below / 10).toFixed(1) : factor.toFixed(1)}x`;
}
