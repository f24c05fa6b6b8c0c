/** One request on its way through the pipeline. */
import type { ApiRequest } from '../wire/http.ts';
import type { Route } from './route.ts';

export interface Call {
  readonly request: ApiRequest;
  readonly route: Route;
  /** Texts of `Warning` headers. */
  readonly warnings: string[];
  /** True if the server makes this write itself, without a client: a definition is then established in the same commit. */
  readonly internal?: true;
  /** True if webhooks have already been called about the subresource that leads to this write. */
  readonly admitted?: true;
  /** The original request on a subresource, when this call is the resulting write of the object behind it. */
  readonly origin?: Call;
}
