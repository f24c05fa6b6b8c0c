/**
 * Text that becomes part of a page. Whatever a record holds is text and stays text: an annotation with `</script>` in it too.
 *
 * Owns: escaping. Everything that is put into {@link html} is escaped unless it came out of it.
 */
import { plainText } from '../plain-text.ts';

/** Text that is markup already. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

type Part = string | number | Html | readonly Html[] | undefined;

/** Markup with everything that is put in escaped; lists of markup are joined, undefined is nothing. */
export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Html {
  let text = strings[0] ?? '';
  parts.forEach((part, index) => {
    text += partText(part) + (strings[index + 1] ?? '');
  });
  return new Html(text);
}

function partText(part: Part): string {
  if (part === undefined) return '';
  if (part instanceof Html) return part.text;
  if (typeof part === 'object') return part.map(({ text }) => text).join('');
  return escapeText(String(part));
}

const ENTITIES: { readonly [character: string]: string } = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/**
 * For text and for attributes in quotes. Characters that turn the direction of what follows, or that no page may hold, are shown as
 * what they are.
 */
function escapeText(text: string): string {
  return plainText(text.replaceAll(/[&<>"']/g, (character) => ENTITIES[character] ?? character));
}

/** JSON for a script element: no `<` in it, so that nothing in it can end the element or open a comment. */
export function scriptJson(value: unknown): string {
  return JSON.stringify(value).replaceAll('<', String.raw`\u003c`);
}
