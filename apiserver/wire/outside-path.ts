/** Paths for requests of the target to servers outside of the cluster. The gate sees them under a path that no API server has. */

const PREFIX = '/outside.stalemate';

/** Matches host, port, and the rest of the path. */
export const OUTSIDE_PATH: RegExp = /^\/outside\.stalemate\/([^/:]+):(\d+)(\/.*)?$/;

/**
 * Reports whether a request may have effects outside of the cluster. A TCP connection has no path, so it is always assumed to have effects.
 */
export function actsOutside({ method, path }: { readonly method: string; readonly path: string }): boolean {
  const [whole, , , behind] = OUTSIDE_PATH.exec(path) ?? [];
  return whole !== undefined && (behind === undefined || (method !== 'GET' && method !== 'HEAD'));
}

export function outsidePath(host: string, port: number, path: string): string {
  return `${PREFIX}/${host}:${port}${path}`;
}
