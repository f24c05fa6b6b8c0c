/**
 * The file around a page: its head with the policy (only this page's own script and style may run, nothing may be fetched), style,
 * markup, data and script, in one text that needs nothing else.
 */
import { createHash } from 'node:crypto';
import { html, scriptJson, type Html } from './html-text.ts';

/** Under another name, because a formatter closes what it finds open in templates that are tagged "html". */
const openHtml = html;

export interface PageParts {
  readonly title: string;
  readonly style: string;
  readonly script: string;
  readonly body: Html;
  /** What the page shows, as data; `id` is that of its element. */
  readonly data: { readonly id: string; readonly value: unknown };
}

/** Pure: the same parts give the same bytes. */
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

/** The policy names the script and the style by what they are. */
function digest(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`;
}
