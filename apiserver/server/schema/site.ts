/**
 * Collects validation errors.
 *
 * Owns: deduplication of errors, and the level of detail: alternatives of a schema are first validated without messages, because only one
 * of them is shown, and a long list with many alternatives would build a message for each pair.
 */
import { jsonEqual } from '../../objects/json.ts';
import type { JsonValue } from '../../objects/object.ts';
import type { FieldError, FieldErrorType } from '../refusal.ts';
import { ERRORS_MAX } from '../weight.ts';

/**
 * The result that a validation is run for. `errors`: all errors. `validity`: stops at the first failure. `matches`: checks everything,
 * without messages.
 */
export type Asked = 'errors' | 'matches' | 'validity';

/**
 * The maximum number of values that are validated for one object. Only nested alternatives, or alternatives for long lists, reach it: a
 * storable object has less than a million values. A real server times out long before: in 34 s it validates fewer than six million.
 */
const VALIDATED_MAX = 6_000_000;
/** How many of these values may be validated to choose which of several failed alternatives to show. Beyond that the first one is shown. */
const COMPARED_MAX = 2_000_000;

/** The cost of a message and its duplicate check, in validated values. */
const ERROR_PARTS = 10;

/** Thrown when validating an object would exceed a real server's time limit. */
export class ValidationLimitExceeded extends Error {}

export class Site {
  readonly errors: FieldError[] = [];
  /** The prefix of the field in every error: empty for the whole object, `status` when only its status is validated. */
  readonly base: string;
  readonly asked: Asked;
  /**
   * The number of passed checks: `anyOf` and `oneOf` show the errors of the alternative with the most. Not counted where errors are
   * collected.
   */
  matches = 0;
  failed = false;
  /** Errors by prefix; most objects have none. */
  #known: Map<string, FieldError[]> | undefined = undefined;

  /** The outermost site, which counts the validated values of the whole object. */
  readonly #root: Site;
  #validated = 0;
  #compared = 0;

  constructor(base: string, asked: Asked = 'errors', of?: Site) {
    this.base = base;
    this.asked = asked;
    this.#root = of === undefined ? this : of.#root;
  }

  /**
   * Counts a value; `parts` is more than one for a long text.
   *
   * @throws {ValidationLimitExceeded}
   */
  count(parts: number): void {
    const root = this.#root;
    if ((root.#validated += parts) > VALIDATED_MAX) throw new ValidationLimitExceeded();
    if (this.asked === 'matches') root.#compared += parts;
  }

  /** Reports whether failed alternatives may still be compared. */
  get compares(): boolean {
    return this.#root.#compared < COMPARED_MAX;
  }

  /** Reports whether messages are needed; only messages need paths. */
  get words(): boolean {
    return this.asked === 'errors';
  }

  /** Reports whether the result can no longer change, so that validation can stop. */
  get settled(): boolean {
    return this.asked === 'validity' ? this.failed : this.errors.length >= ERRORS_MAX;
  }

  fail(path: string, type: FieldErrorType, value: JsonValue | undefined, detail: () => string): void {
    this.failed = true;
    if (!this.words || this.settled) return;
    const bare = path.startsWith('.') ? path.slice(1) : path;
    const field = this.base === '' ? bare : bare === '' ? this.base : `${this.base}.${bare}`;
    this.add({
      type,
      field: field === '' ? '<nil>' : field,
      ...(value === undefined ? {} : { value }),
      detail: detail(),
    });
  }

  /** Adds an error; duplicate messages are dropped. */
  add(error: FieldError): void {
    if (this.settled) return;
    this.count(ERROR_PARTS);
    const start = startOf(error);
    this.#known ??= new Map();
    const same = this.#known.get(start);
    if (same === undefined) this.#known.set(start, [error]);
    else if (same.some(({ detail, value }) => detail === error.detail && jsonEqual(value, error.value))) return;
    else same.push(error);
    this.errors.push(error);
  }

  /** Removes all errors but the first `count`. */
  forgetAfter(count: number): void {
    for (const error of this.errors.splice(count)) {
      const same = this.#known?.get(startOf(error));
      same?.splice(same.indexOf(error), 1);
    }
  }
}

/** Returns the start of an error, for finding duplicates: the whole text may be a long enumeration, repeated for each item of a list. */
function startOf({ type, field, detail }: FieldError): string {
  return `${type} ${field} ${detail.length} ${detail.slice(0, START)}`;
}

const START = 100;
