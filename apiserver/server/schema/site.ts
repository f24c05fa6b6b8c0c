/**
 * Where validation notes what is wrong.
 *
 * Owns: errors without repetitions, and how much is asked: alternatives of a schema are first judged without wording anything, because
 * a list may have as many items as its schema has alternatives, and the errors of one alternative are shown at most.
 */
import { jsonEqual } from '../../objects/json.ts';
import type { JsonValue } from '../../objects/object.ts';
import type { FieldError, FieldErrorType } from '../refusal.ts';
import { ERRORS_MAX } from '../weight.ts';

/** `validity` ends with the first failure, `matches` goes through everything and words nothing. */
export type Asked = 'errors' | 'matches' | 'validity';

/**
 * How many values one object may have judged. Only alternatives of alternatives, or of long lists, come this far: an object that can be
 * stored has less than a million values. A real server's time is up long before: in 34 s it gets through fewer than six million.
 */
const JUDGED_MAX = 6_000_000;
/** How many of them to find out which of several failed alternatives to show; beyond that the first one is shown. */
const COMPARED_MAX = 2_000_000;

/** What it takes to word an error and to see whether it was said before, in values judged. */
const ERROR_PARTS = 10;

/** An object takes more judging than a real server has time for. */
export class TooMuchJudged extends Error {}

export class Site {
  readonly errors: FieldError[] = [];
  /** Prefix of every field: empty for the whole object, `status` for its status alone. */
  readonly base: string;
  readonly asked: Asked;
  /** Checks that went through: `anyOf` and `oneOf` show the errors of the branch with most of them. Not counted where errors are asked for. */
  matches = 0;
  failed = false;
  /** Errors by how they start; most objects have none. */
  #known: Map<string, FieldError[]> | undefined = undefined;

  /** Where the work for an object is counted: the site that all others are of. */
  readonly #root: Site;
  #judged = 0;
  #compared = 0;

  constructor(base: string, asked: Asked = 'errors', of?: Site) {
    this.base = base;
    this.asked = asked;
    this.#root = of === undefined ? this : of.#root;
  }

  /**
   * Counts a value; `parts` is more than one for a long text.
   *
   * @throws {TooMuchJudged}
   */
  judging(parts: number): void {
    const root = this.#root;
    if ((root.#judged += parts) > JUDGED_MAX) throw new TooMuchJudged();
    if (this.asked === 'matches') root.#compared += parts;
  }

  /** Whether failed alternatives may still be compared. */
  get compares(): boolean {
    return this.#root.#compared < COMPARED_MAX;
  }

  /** Whether errors are worded, which needs paths. */
  get words(): boolean {
    return this.asked === 'errors';
  }

  /** Whether more failures would change nothing. */
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

  /** The same text is never said twice. */
  add(error: FieldError): void {
    if (this.settled) return;
    this.judging(ERROR_PARTS);
    const start = startOf(error);
    this.#known ??= new Map();
    const same = this.#known.get(start);
    if (same === undefined) this.#known.set(start, [error]);
    else if (same.some(({ detail, value }) => detail === error.detail && jsonEqual(value, error.value))) return;
    else same.push(error);
    this.errors.push(error);
  }

  /** Forgets all errors but the first `count`. */
  forgetAfter(count: number): void {
    for (const error of this.errors.splice(count)) {
      const same = this.#known?.get(startOf(error));
      same?.splice(same.indexOf(error), 1);
    }
  }
}

/** The start of an error, by which the same one is looked for: the whole text may be a long enumeration, for each item of a list. */
function startOf({ type, field, detail }: FieldError): string {
  return `${type} ${field} ${detail.length} ${detail.slice(0, START)}`;
}

const START = 100;
