/** One request on its way through the pipeline. */
import type { ApiRequest } from '../wire/http.ts';
import type { Route } from './route.ts';

export interface Call {
  readonly request: ApiRequest;
  readonly route: Route;
  /** Texts of `Warning` headers. */
  readonly warnings: string[];
  /** Webhooks have been asked, about the subresource that leads to this write. */
  readonly admitted?: true;
  /** The request as it came, when it goes on as a write of the object behind a subresource. */
  readonly origin?: Call;
}
