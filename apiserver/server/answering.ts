/** Common parts of every answer: warnings, and refusals as plain text. */
import type { ApiResponse } from '../wire/http.ts';
import { Suspended, type CallOutFunction } from './admission/call-out.ts';
import type { Call } from './call.ts';
import type { Refusal } from './refusal.ts';

/** The default without webhooks: every call fails. */
export const noCallOut: CallOutFunction = (_, answer) => {
  answer({ outcome: 'failed', why: 'this server makes no calls' });
  return () => {};
};

/** Returns the message of a refusal. */
export function refusalText(refusal: Refusal): string {
  const { body } = refusal;
  return typeof body === 'string' ? body : String((body as { message?: unknown }).message);
}

/** Returns the value of a `Warning` header. */
export function warningText(text: string): string {
  return `299 - ${JSON.stringify(text)}`;
}

/** kube-apiserver's limits: on the total length of the warnings of one answer, and if that is exceeded, on the length of each. */
const WARNINGS_MAX = 4 * 1024;
const WARNING_MAX = 256;

/** Returns all warnings when they are short enough; otherwise as many as fit, each truncated. */
function shortened(warnings: readonly string[]): readonly string[] {
  const runes = (text: string): number => (text.length > WARNINGS_MAX ? text.length : [...text].length);
  let written = 0;
  if (warnings.every((text) => (written += runes(text)) <= WARNINGS_MAX)) return warnings;
  written = 0;
  const cut: string[] = [];
  for (const text of warnings) {
    if (written >= WARNINGS_MAX) break;
    const short = [...text.slice(0, 2 * WARNING_MAX)].slice(0, WARNING_MAX).join('');
    written += runes(short);
    cut.push(short);
  }
  return cut;
}

/** Returns the answer with the collected warnings. A `Suspended` is returned unchanged. */
export function withWarnings(call: Call, response: ApiResponse): ApiResponse {
  if (response instanceof Suspended) return response;
  const { warnings, route } = call;
  const { version, subresource } = route;
  // Paths that the router does not know get no deprecation warning.
  const known = subresource === '' || version.subresources.has(subresource);
  if (version.deprecated !== undefined && known) warnings.unshift(version.deprecated);
  if (warnings.length === 0) return response;
  const texts = new Set<string>();
  for (const text of warnings) if (texts.size <= WARNINGS_MAX) texts.add(text);
  const warning = shortened([...texts])
    .map(warningText)
    .join(', ');
  return { ...response, headers: { ...response.headers, warning } };
}
