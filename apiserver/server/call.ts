/** One request on its way through the pipeline. */
import type { ApiRequest } from '../wire/http.ts';
import type { Route } from './route.ts';

export interface Call {
  readonly request: ApiRequest;
  readonly route: Route;
  /** Texts of `Warning` headers. */
  readonly warnings: string[];
  /** True if the server makes this write itself, without a client. A definition is then established in the same commit. */
  readonly internal?: true;
  /** True if webhooks have already been called for the subresource request that leads to this write. */
  readonly admitted?: true;
  /** The original request on a subresource, if this call is the resulting write to the parent object. */
  readonly origin?: Call;
}
