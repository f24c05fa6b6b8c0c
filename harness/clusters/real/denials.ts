/**
 * The requests that a real server's authorizer has denied, extracted from its answers.
 *
 * Owns: parsing the message (`RBAC: …` of k8s.io/apiserver `endpoints/handlers/responsewriters/errors.go`). Start at {@link Denials}.
 */
import type { DeniedRequest } from 'stalemate-apiserver';
import type { ApiResponse } from 'stalemate-apiserver/wire/http';

const RESOURCE =
  /User "([^"]*)" cannot (\S+) resource "([^"/]*)(?:\/([^"]*))?" in API group "([^"]*)" (?:at the cluster scope|in the namespace "([^"]*)")/;
const PATH = /User "([^"]*)" cannot (\S+) path "([^"]*)"/;

export class Denials {
  readonly #denied = new Map<string, DeniedRequest>();

  /** Records an answer if it is a denial by the authorizer. */
  answered({ code, body }: ApiResponse): void {
    if (code !== 403) return;
    const denied = deniedIn(typeof body === 'string' ? body : (body as { readonly message?: string }).message);
    if (denied === undefined) return;
    const key = JSON.stringify(denied);
    this.#denied.set(key, { ...denied, times: (this.#denied.get(key)?.times ?? 0) + 1 });
  }

  /** Returns each denied request once, in order of first occurrence. */
  all(): readonly DeniedRequest[] {
    return [...this.#denied.values()];
  }

  clear(): void {
    this.#denied.clear();
  }
}

/** Returns the denied request in a 403's message; undefined if the message is not the authorizer's. */
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
