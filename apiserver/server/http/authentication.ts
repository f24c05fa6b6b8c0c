/**
 * Authentication: client certificates, bearer tokens, anonymous requests.
 *
 * Owns: the decisions of kube-apiserver's authenticators, and `--token-file`. Does not own: authorization (the server behind this
 * layer), certificate verification (TLS). Start at {@link Authenticator}.
 */
import type { TLSSocket } from 'node:tls';
import type { UserInfo } from '../../wire/http.ts';
import { ApiServerError } from '../../objects/errors.ts';

export interface AuthenticationOptions {
  /** Users by bearer token. */
  readonly tokens?: ReadonlyMap<string, UserInfo>;
  /** Verifies other tokens, for example those of service accounts. */
  readonly verifyToken?: (token: string) => UserInfo | undefined;
  /** The user of requests without credentials; if absent, such requests are refused. */
  readonly anonymous?: UserInfo;
}

const AUTHENTICATED = 'system:authenticated';

/** kube-apiserver's user for requests without credentials when authorization is enabled. */
export const ANONYMOUS: UserInfo = { name: 'system:anonymous', groups: ['system:unauthenticated'] };

/** The user of every request to a server without TLS, where nothing is authenticated. */
export const UNSECURED: UserInfo = { name: 'system:unsecured', groups: ['system:masters', AUTHENTICATED] };

export class Authenticator {
  readonly #options: AuthenticationOptions;

  constructor(options: AuthenticationOptions) {
    this.#options = options;
  }

  /** Returns the user; undefined when the request is to be refused with 401. A certificate has precedence over a token. */
  user(certified: UserInfo | undefined, authorization: string | undefined): UserInfo | undefined {
    if (certified !== undefined) return certified;
    const token = bearerToken(authorization);
    // Schemes other than bearer are ignored.
    if (token === undefined) return this.#options.anonymous;
    const user = this.#options.tokens?.get(token) ?? this.#options.verifyToken?.(token);
    return user === undefined ? undefined : authenticated(user);
  }
}

/** Returns the user of a connection's client certificate, if one was sent and our authority signed it. */
export function certifiedUser(socket: TLSSocket): UserInfo | undefined {
  if (!socket.authorized) return undefined;
  const { subject } = socket.getPeerCertificate();
  if (subject === undefined) return undefined;
  const { CN, O } = subject as { readonly CN?: string | string[]; readonly O?: string | string[] };
  const name = Array.isArray(CN) ? CN.at(-1) : CN;
  if (name === undefined || name === '') return undefined;
  return authenticated({ name, groups: O === undefined ? [] : Array.isArray(O) ? O : [O] });
}

/** Parses lines of `token,user,uid,"group1,group2"`, the format of kube-apiserver's `--token-auth-file`. */
export function parseTokens(text: string, source: string): ReadonlyMap<string, UserInfo> {
  const tokens = new Map<string, UserInfo>();
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    if (line.trim() === '') continue;
    const columns = fields(line);
    const [token = '', name = '', uid = '', groups = ''] = columns;
    const quotes = line.split('"').length - 1;
    if (token === '' || name === '' || columns.length < 3 || quotes % 2 === 1)
      throw new ApiServerError(
        'USAGE',
        `line ${index + 1} of "${source}" is no token, expected token,user,uid and perhaps "group1,group2"; correct it`,
      );
    tokens.set(token, {
      name,
      groups: groups
        .split(',')
        .map((group) => group.trim())
        .filter((group) => group !== ''),
      ...(uid === '' ? {} : { uid }),
    });
  }
  return tokens;
}

function fields(line: string): readonly string[] {
  return [...line.matchAll(/(?:^|,)\s*(?:"((?:[^"]|"")*)"|([^,]*))/g)].map(
    ([, quoted, plain]) => quoted?.replaceAll('""', '"') ?? (plain ?? '').trim(),
  );
}

function authenticated(user: UserInfo): UserInfo {
  return user.groups.includes(AUTHENTICATED) ? user : { ...user, groups: [...user.groups, AUTHENTICATED] };
}

function bearerToken(authorization: string | undefined): string | undefined {
  return authorization === undefined ? undefined : /^\s*bearer (\S+)/i.exec(authorization)?.[1];
}
