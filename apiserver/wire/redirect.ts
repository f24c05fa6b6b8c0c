/** Reports whether an answer is a redirect. Redirects are not followed: no API server sends one, so another program has answered. */
export function isRedirect(code: number): boolean {
  return code >= 300 && code < 400 && code !== 304;
}

/** Reports whether a path goes through the API server's proxy: the server behind it may redirect its clients. */
export function isProxied(path: string): boolean {
  return /\/proxy(?:\/|$)/.test(path);
}
