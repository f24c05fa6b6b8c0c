/**
 * The mutation operators: each makes one mistake that controllers are known to make.
 *
 * Owns: which operators there are in which language. Does not own: their names (`idioms.ts`), what they look like in a language
 * (`typescript.ts` and its neighbours). An operator without a place in a language is left out there.
 */
import type { Language } from '../syntax.ts';
import { go } from './go.ts';
import type { Operators } from './idioms.ts';
import { java } from './java.ts';
import { python } from './python.ts';
import { rust } from './rust.ts';
import { typescript } from './typescript.ts';

export const OPERATORS: { readonly [language in Language]: Operators } = { typescript, go, python, rust, java };
