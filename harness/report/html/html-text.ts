/**
 * Escapes text for pages. Whatever a record contains stays text, even an annotation with `</script>` in it.
 *
 * Owns: escaping. Every value in an {@link html} template is escaped unless it is {@link Html} already.
 */
import { plainText } from '../plain-text.ts';

/** Text that is already markup. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

type Part = string | number | Html | readonly Html[] | undefined;

/** Builds markup and escapes all values; lists of markup are joined, undefined adds nothing. */
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
 * Escapes text for elements and quoted attributes. Bidirectional control characters, and characters that HTML forbids, are
 * shown as escapes.
 */
function escapeText(text: string): string {
  return plainText(text.replaceAll(/[&<>"']/g, (character) => ENTITIES[character] ?? character));
}

/** Encodes JSON for a script element without any `<`, so that nothing in it can end the element or open a comment. */
export function scriptJson(value: unknown): string {
  return JSON.stringify(value).replaceAll('<', String.raw`\u003c`);
}
