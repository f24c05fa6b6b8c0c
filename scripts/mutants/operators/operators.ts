/**
 * The mutation operators: each makes one mistake that is known from real controllers.
 *
 * Owns: which operators each language has. Does not own: their names (`idioms.ts`), their patterns in a language (`typescript.ts` and the
 * files beside it). An operator without a pattern in a language has no mutants in that language.
 */
import type { Language } from '../syntax.ts';
import { go } from './go.ts';
import type { Operators } from './idioms.ts';
import { java } from './java.ts';
import { python } from './python.ts';
import { rust } from './rust.ts';
import { typescript } from './typescript.ts';

export const OPERATORS: { readonly [language in Language]: Operators } = { typescript, go, python, rust, java };
