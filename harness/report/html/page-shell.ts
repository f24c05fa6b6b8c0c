/**
 * Builds the file around a page: head, content security policy (only the page's own script and style run, nothing is fetched),
 * style, markup, data and script, in one self-contained text.
 */
import { createHash } from 'node:crypto';
import { html, scriptJson, type Html } from './html-text.ts';

/** An alias, because the formatter closes unclosed elements in templates tagged `html`. */
const openHtml = html;

export interface PageParts {
  readonly title: string;
  readonly style: string;
  readonly script: string;
  readonly body: Html;
  /** The data that the page shows; `id` is the id of its element. */
  readonly data: { readonly id: string; readonly value: unknown };
}

/** Builds the whole file. Pure: equal parts give identical bytes. */
export function pageShell({ title, style, script, body, data }: PageParts): string {
  const policy = [
    "default-src 'none'",
    `script-src '${digest(script)}'`,
    `style-src '${digest(style)}'`,
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
  const head = openHtml`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="referrer" content="no-referrer" />
        <meta http-equiv="Content-Security-Policy" content="${policy}" />
        <title>${title}</title>
     `;
  const start = `<style>${style}</style>\n</head>\n<body>\n`;
  const json = `<script type="application/json" id="${data.id}">${scriptJson(data.value)}</script>\n`;
  return `${head.text}${start}${body.text}${json}<script type="module">${script}</script>\n</body>\n</html>\n`;
}

/** Hashes a script or style for the policy. */
function digest(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`;
}
