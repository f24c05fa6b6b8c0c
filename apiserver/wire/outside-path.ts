/** How requests that the target makes outside of the cluster look at the gate: as requests for a path that no API server has. */

const PREFIX = '/outside.stalemate';

/** Host, port, and the path behind. */
export const OUTSIDE_PATH: RegExp = /^\/outside\.stalemate\/([^/:]+):(\d+)(\/.*)?$/;

/** Whether a request may change something there; a connection over TCP has no path, and may do anything. */
export function actsOutside({ method, path }: { readonly method: string; readonly path: string }): boolean {
  const [whole, , , behind] = OUTSIDE_PATH.exec(path) ?? [];
  return whole !== undefined && (behind === undefined || (method !== 'GET' && method !== 'HEAD'));
}

export function outsidePath(host: string, port: number, path: string): string {
  return `${PREFIX}/${host}:${port}${path}`;
}
