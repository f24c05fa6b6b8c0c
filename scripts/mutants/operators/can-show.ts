/**
 * Which mistakes can show at all. A controller repairs what it sees, so many mistakes only delay its next try: an event or a resync makes
 * up for them, in any order of events. These would count as survivors of a search that has missed nothing.
 *
 * Owns: what the code around a mistake must contain for it to count, in all languages. Start at {@link canShow}.
 */
import type { OperatorName } from './idioms.ts';
import { ABOUT_IDENTITY } from './shapes.ts';

/** What a controller cannot take back: the end of a deletion, effects outside the cluster, and the belief that it leads. */
const IRREVERSIBLE = /finali[sz]er|service|clean_?up|renewed/i;
/** Statements that only forget earlier failures or a timer, so that work is done again later or once more. */
const PACE =
  /^(?:failures = 0|clearTimeout|clearInterval|this\.#timers|this\.#failures\.delete|self\.failures|\w+\.Forget\()/;

/** The code of a mistake. */
export interface Surroundings {
  /** The replaced code. */
  readonly before: string;
  /** The function that contains it. */
  readonly inside: string;
  /** The rest of that function. */
  readonly after: string;
}

type Rule = (code: Surroundings) => boolean;

const RULES: { readonly [operator in OperatorName]?: Rule } = {
  // The write that was newer arrives with an event, which starts the work again.
  'swallows-conflict': ({ after }) => IRREVERSIBLE.test(after),
  // The garbage collector removes what is made for an object that is being deleted, and a second delete changes nothing.
  'ignores-terminating': ({ inside }) => IRREVERSIBLE.test(inside),
  // A guard that only asks whether an object is being deleted is the same mistake.
  'drops-guard': ({ before, inside }) => ABOUT_IDENTITY.test(before) || IRREVERSIBLE.test(inside),
  // No property claims that a status never runs ahead of the work.
  'swaps-steps': ({ before }) => IRREVERSIBLE.test(before),
  'skips-step': ({ before }) => !PACE.test(before),
};

/** Reports whether some order of events, fault or write of another client can make a difference that a property claims. */
export function canShow(operator: OperatorName, code: Surroundings): boolean {
  return RULES[operator]?.(code) ?? true;
}
