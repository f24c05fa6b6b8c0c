/**
 * Words that stop a reader: precise but foreign, or names of this project for something that has a common name.
 *
 * Owns: the list of words, and where prose is (Markdown without code, texts in source files). Does not own: which files are checked
 * (check-tidy.ts). Lists only forms that are never right; good style is more than this list. Start at {@link foreignWords}.
 */
import { extname } from 'node:path';
import { type SourceText, textsIn } from './source-scan.ts';

export interface ForeignWord {
  readonly line: number;
  readonly word: string;
  readonly instead: string;
}

const WORDS: readonly (readonly [pattern: RegExp, instead: string])[] = [
  [/\bmend(?:s|ed|ing)?\b/, '"fix"'],
  [/\b(?:tells?|told|telling)\b/, '"report", "print", "show", or "distinguish"'],
  [/\b(?:nobody|somebody|whoever)\b/, '"no client", "another writer", or who it is'],
  [
    /\bothers['’]|\b(?:by|of|from) others\b|\bothers (?:change|do|have|made|make|own|read|use|write|wrote)\b/,
    'who it is',
  ],
  [/\banew\b/, '"again", or "overwrite"'],
  [/\b(?:stands?|stood)\b(?!-| for\b)/, '"is", "waits", or "stops"'],
  [/\b(?:puts? up|putting up) with\b/, '"waive" or "allow"'],
  [/\bbec(?:ame|omes?) of\b|\b(?:came|comes?) of\b/, '"result" or "outcome"'],
  [/\blet(?:s|ting)? (?:\w+ )?happen\b/, '"allow" or "release"'],
  [/\bcalm runs?\b/, '"undisturbed run"'],
  [/\bheard of\b/, '"received"'],
  [/\brivals?\b/, '"conflicting write" or "other writer"'],
  [/\bsparing\b/, '"without"'],
];

/** Returns every listed word in the prose of a Markdown or source file. */
export function foreignWords(path: string, text: string): readonly ForeignWord[] {
  if (!WORDS.some(([pattern]) => any(pattern).test(text))) return [];
  const prose = extname(path) === '.md' ? proseOf(text) : textsIn(path, text).filter((one) => /\s/.test(one.text));
  return prose.flatMap(({ line, text: words }) =>
    WORDS.flatMap(([pattern, instead]) =>
      [...words.matchAll(any(pattern))].map(({ 0: word, index }) => ({
        line: line + words.slice(0, index).split('\n').length - 1,
        word,
        instead,
      })),
    ),
  );
}

/** Returns the lines of a page without code and addresses. Of code blocks it keeps the comments, which are most of the API page. */
function proseOf(page: string): readonly SourceText[] {
  let fenced = false;
  return page.split('\n').flatMap((text, index) => {
    const fence = /^\s*(?:```|~~~)/.test(text);
    if (fence) fenced = !fenced;
    return fence || (fenced && !COMMENT.test(text)) ? [] : [{ line: index + 1, text: text.replaceAll(NO_PROSE, '…') }];
  });
}

const COMMENT = /^\s*(?:\/?\*|\/\/)/;

const NO_PROSE = /`[^`]*`|\]\([^)]*\)|<!--.*?-->|https?:\S+/g;

function any(pattern: RegExp): RegExp {
  return new RegExp(pattern, 'gi');
}
