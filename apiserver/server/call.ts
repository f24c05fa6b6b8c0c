/** One request on its way through the pipeline. */
import type { ApiRequest } from '../wire/http.ts';
import type { Route } from './route.ts';

export interface Call {
  readonly request: ApiRequest;
  readonly route: Route;
  /** Texts of `Warning` headers. */
  readonly warnings: string[];
  /** The server makes this write itself, without a client: a definition is established in the same commit. */
  readonly internal?: true;
  /** Webhooks have already been called, about the subresource that leads to this write. */
  readonly admitted?: true;
  /** The original request, when it continues as a write of the object behind a subresource. */
  readonly origin?: Call;
}
