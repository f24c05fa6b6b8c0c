/**
 * Words that stop a reader: precise but foreign, or names of this project for something that has a common name.
 *
 * Owns: which words, and where prose is (Markdown without code, texts in source files). Does not own: which files are checked
 * (check-tidy.ts). Only forms that are never right are listed; style is more than this list. Start at {@link foreignWords}.
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

/** Every such word in the prose of a Markdown or source file. */
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

/** The lines of a page without code, comments and addresses; of fenced blocks the comments, for most of the API's page is that. */
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
