/** Dispatches requests on subresources. */
import type { ApiResponse } from '../../wire/http.ts';
import type { Kernel } from '../kernel.ts';
import type { Call } from '../call.ts';
import { NO_RESOURCE, UNKNOWN_PATH } from '../refusal.ts';
import { evict } from './eviction.ts';
import { forward } from './forward.ts';
import { bind } from './pods.ts';
import { scale } from './scale.ts';
import { requestToken } from './token-request.ts';

/** Answers requests on subresources that need special handling; undefined for ordinary reads and writes. */
export function answerSubresource(kernel: Kernel, call: Call): ApiResponse | undefined {
  const { version, subresource } = call.route;
  if (!version.subresources.has(subresource)) return forward(kernel, call) ?? NO_RESOURCE;
  switch (subresource) {
    case 'scale':
      return version.scale === undefined ? UNKNOWN_PATH : scale(kernel, call, version.scale);
    case 'binding':
      return bind(kernel, call);
    case 'eviction':
      return evict(kernel, call);
    case 'token':
      return requestToken(kernel, call);
    default:
      return undefined;
  }
}
