/**
 * The grammar of `?labelSelector=`, parsed token by token as in k8s.io/apimachinery `labels/selector.go`.
 *
 * Owns: tokens, requirements and their error messages. Does not own: caching (`selectors.ts`).
 */
import { labelValueErrors, qualifiedNameErrors } from './names.ts';
import { aggregated } from './refusal.ts';

export type Labels = { readonly [key: string]: string };

/** Reports whether labels match. A selector that selects everything has no matcher. */
export type LabelMatcher = (labels: Labels) => boolean;

const SYMBOLS: ReadonlySet<string> = new Set([')', ',', '!', '==', '=', '>', '<', '!=', '(']);
const SPECIAL = '=!(),><';
const SPACE = ' \t\r\n';
/** The token at the end of a selector. A NUL character counts as the end too. */
const END = '';

/** Returns a predicate, undefined if the selector matches everything, or an error. */
export function compileLabelSelector(text: string): LabelMatcher | undefined | string {
  try {
    return new Parser(tokensOf(text)).parse();
  } catch (error) {
    if (error instanceof Unreadable) return error.message;
    throw error;
  }
}

/** Thrown to leave the parser from any depth; caught in this file. */
class Unreadable extends Error {}

function tokensOf(text: string): readonly string[] {
  const tokens: string[] = [];
  let at = 0;
  for (;;) {
    while (at < text.length && SPACE.includes(text.charAt(at))) at++;
    const char = text.charAt(at);
    if (char === '' || char === '\0') return tokens;
    let end = at + 1;
    if (SPECIAL.includes(char)) while (end < text.length && SYMBOLS.has(text.slice(at, end + 1))) end++;
    else while (end < text.length && !`${SPECIAL}${SPACE}\0`.includes(text.charAt(end))) end++;
    tokens.push(text.slice(at, end));
    at = end;
  }
}

function isWord(token: string): boolean {
  return token !== END && !SYMBOLS.has(token);
}

class Parser {
  readonly #tokens: readonly string[];
  #at = 0;

  constructor(tokens: readonly string[]) {
    this.#tokens = tokens;
  }

  parse(): LabelMatcher | undefined {
    const all: LabelMatcher[] = [];
    for (;;) {
      const start = this.#peek();
      if (start === END) break;
      if (start !== '!' && !isWord(start))
        throw new Unreadable(`found '${start}', expected: !, identifier, or 'end of string'`);
      all.push(this.#requirement());
      const next = this.#next();
      if (next === END) break;
      if (next !== ',') throw new Unreadable(`found '${next}', expected: ',' or 'end of string'`);
      const after = this.#peek();
      if (after !== '!' && !isWord(after)) throw new Unreadable(`found '${after}', expected: identifier after ','`);
    }
    const [first] = all;
    return all.length < 2 ? first : (labels) => all.every((one) => one(labels));
  }

  #next(): string {
    return this.#tokens[this.#at++] ?? END;
  }

  #peek(): string {
    return this.#tokens[this.#at] ?? END;
  }

  #requirement(): LabelMatcher {
    let key = this.#next();
    const negated = key === '!';
    if (negated) key = this.#next();
    if (!isWord(key)) refuse(`found '${key}', expected: identifier`);
    const wrong = qualifiedNameErrors(key);
    if (wrong.length > 0) refuse(`<nil>: Invalid value: ${JSON.stringify(key)}: ${wrong.join('; ')}`);
    if (negated) return (labels) => labels[key] === undefined;
    const after = this.#peek();
    if (after === END || after === ',') return (labels) => labels[key] !== undefined;
    const operator = this.#next();
    switch (operator) {
      case '=':
      case '==': {
        const value = this.#value(key);
        return (labels) => labels[key] === value;
      }
      case '!=': {
        const value = this.#value(key);
        return (labels) => labels[key] !== value;
      }
      case 'in': {
        const values = this.#values(key);
        return (labels) => {
          const value = labels[key];
          return value !== undefined && values.has(value);
        };
      }
      case 'notin': {
        const values = this.#values(key);
        return (labels) => {
          const value = labels[key];
          return value === undefined || !values.has(value);
        };
      }
      case '<':
      case '>':
        return compared(key, operator, this.#value(key, integerErrors));
      default:
        return refuse(`found '${operator}', expected: in, notin, =, ==, !=, gt, lt`);
    }
  }

  #value(key: string, more: (value: string) => readonly string[] = () => []): string {
    let value = '';
    const next = this.#peek();
    if (next !== END && next !== ',') {
      value = this.#next();
      if (!isWord(value)) refuse(`found '${value}', expected: identifier`);
    }
    checkValues(key, [value], more(value));
    return value;
  }

  #values(key: string): ReadonlySet<string> {
    const open = this.#next();
    if (open !== '(') refuse(`found '${open}' expected: '('`);
    const first = this.#peek();
    const values = new Set<string>();
    if (first === ')') values.add('');
    else if (first === ',' || isWord(first)) this.#listInto(values);
    else refuse(`found '${first}', expected: ',', ')' or identifier`);
    if (this.#next() !== ')') refuse(`found '${first}', expected: ')'`);
    checkValues(key, [...values].sort(), []);
    return values;
  }

  #listInto(values: Set<string>): void {
    for (;;) {
      const token = this.#next();
      const after = this.#peek();
      if (isWord(token)) {
        values.add(token);
        if (after === ')') return;
        if (after !== ',') refuse(`found '${after}', expected: ',' or ')'`);
      } else if (token === ',') {
        if (values.size === 0 || after === ')' || after === ',') values.add('');
        if (after === ')') return;
        if (after === ',') this.#next();
      } else refuse(`found '${token}', expected: ',', or identifier`);
    }
  }
}

function refuse(why: string): never {
  throw new Unreadable(`unable to parse requirement: ${why}`);
}

function integerErrors(value: string): readonly string[] {
  const fits = /^[+-]?\d+$/.test(value) && BigInt.asIntN(64, BigInt(value)) === BigInt(value);
  return fits
    ? []
    : [`values[0]: Invalid value: ${JSON.stringify(value)}: for 'Gt', 'Lt' operators, the value must be an integer`];
}

function checkValues(key: string, values: readonly string[], earlier: readonly string[]): void {
  const errors = [...earlier];
  values.forEach((value, index) => {
    const wrong = labelValueErrors(value);
    if (wrong.length > 0)
      errors.push(`values[${index}][${key}]: Invalid value: ${JSON.stringify(value)}: ${wrong.join('; ')}`);
  });
  if (errors.length > 0) refuse(aggregated(errors));
}

function compared(key: string, operator: '<' | '>', text: string): LabelMatcher {
  const bound = Number(text);
  const sign = operator === '>' ? 1 : -1;
  return (labels) => (Number(labels[key] ?? Number.NaN) - bound) * sign > 0;
}
