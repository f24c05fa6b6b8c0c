/** Returns the versions that a result was made with: histories are byte-identical per Node major version. */
import { readFileSync } from 'node:fs';

let own: string | undefined;

export function versions(): { readonly stalemate: string; readonly node: string } {
  own ??= readOwn();
  return { stalemate: own, node: process.versions.node };
}

function readOwn(): string {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  return (JSON.parse(text) as { readonly version: string }).version;
}
