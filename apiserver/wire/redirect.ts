/** Whether an answer sends whoever asks elsewhere. No API server does: something else answers in its place, and nobody follows. */
export function isRedirect(code: number): boolean {
  return code >= 300 && code < 400 && code !== 304;
}

/** Whether a path leads through a proxy of the API server: what is behind it may send its own clients wherever it likes. */
export function isProxied(path: string): boolean {
  return /\/proxy(?:\/|$)/.test(path);
}
