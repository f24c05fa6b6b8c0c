/**
 * What a real server's authorizer has refused, read off its answers.
 *
 * Owns: the words of a refusal (`RBAC: …` of k8s.io/apiserver `endpoints/handlers/responsewriters/errors.go`). Start at {@link Denials}.
 */
import type { DeniedRequest } from 'stalemate-apiserver';
import type { ApiResponse } from 'stalemate-apiserver/wire/http';

const RESOURCE =
  /User "([^"]*)" cannot (\S+) resource "([^"/]*)(?:\/([^"]*))?" in API group "([^"]*)" (?:at the cluster scope|in the namespace "([^"]*)")/;
const PATH = /User "([^"]*)" cannot (\S+) path "([^"]*)"/;

export class Denials {
  readonly #denied = new Map<string, DeniedRequest>();

  /** Takes an answer down if it is one of the authorizer's. */
  answered({ code, body }: ApiResponse): void {
    if (code !== 403) return;
    const denied = deniedIn(typeof body === 'string' ? body : (body as { readonly message?: string }).message);
    if (denied === undefined) return;
    const key = JSON.stringify(denied);
    this.#denied.set(key, { ...denied, times: (this.#denied.get(key)?.times ?? 0) + 1 });
  }

  /** Each once, in the order of first occurrence. */
  all(): readonly DeniedRequest[] {
    return [...this.#denied.values()];
  }

  clear(): void {
    this.#denied.clear();
  }
}

/** What the message of a 403 says was denied; undefined when an authorizer has not said it. */
function deniedIn(message = ''): Omit<DeniedRequest, 'times'> | undefined {
  const [, user = '', verb = '', resource = '', subresource = '', group = '', namespace = ''] =
    RESOURCE.exec(message) ?? [];
  if (user !== '') return { user, verb, isResource: true, path: '', group, resource, subresource, namespace, name: '' };
  const [, who = '', method = '', path = ''] = PATH.exec(message) ?? [];
  if (who === '') return undefined;
  return {
    user: who,
    verb: method,
    isResource: false,
    path,
    group: '',
    resource: '',
    subresource: '',
    namespace: '',
    name: '',
  };
}
