/** Whether an answer sends whoever asks elsewhere. No API server does: something else answers in its place, and nobody follows. */
export function isRedirect(code: number): boolean {
  return code >= 300 && code < 400 && code !== 304;
}
