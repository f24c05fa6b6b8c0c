/** Known differences, each documented in `apiserver/DIFFERENCES.md`. */
import type { HttpDifference } from './compare.ts';

type Rule = (difference: HttpDifference) => boolean;

const RULES: readonly Rule[] = [
  // A real server drops the connection on protobuf for custom resources.
  ({ request, realReply }) => realReply.code === 0 && request.headers['content-type']?.includes('protobuf') === true,
  // Tokens are signed with a different key, and virtual kinds have no managed fields.
  ({ path, request }) => path === 'body.status.token' && request.target.includes('/token'),
  ({ path, request }) => path === 'body.metadata.managedFields' && /\/token|reviews/.test(request.target),
  ({ request, oursReply }) =>
    oursReply.code === 404 && /componentstatuses|\/bindings|^\/openid|^\/\.well-known|\/resize/.test(request.target),
  // Path segments that are not UTF-8.
  ({ request }) => /%FF/.test(request.target),
];

export function isKnown(difference: HttpDifference): boolean {
  return RULES.some((rule) => rule(difference));
}
