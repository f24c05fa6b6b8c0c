/** Listens on a port that the system chooses. */

/** The part of the interface of Node's servers that is needed. */
interface Server {
  listen(port: number, host: string): unknown;
  once(event: 'listening', listener: () => void): unknown;
  once(event: 'error', listener: (error: Error & { readonly code?: string }) => void): unknown;
  off(event: 'listening', listener: () => void): unknown;
  off(event: 'error', listener: (error: Error) => void): unknown;
}

/** The number of consecutive failures after which listening fails: a single failure can be a coincidence. */
const ATTEMPTS_MAX = 5;

/**
 * Listens on a free port. A port is chosen before it is bound, so two programs may choose the same port; the slower one then tries another.
 *
 * @throws Node's error when it cannot listen.
 */
export async function listenAnywhere(server: Server, host: string): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    const error = await listening(server, host);
    if (error === undefined) return;
    if (error.code !== 'EADDRINUSE' || attempt === ATTEMPTS_MAX) throw error;
  }
}

function listening(server: Server, host: string): Promise<(Error & { readonly code?: string }) | undefined> {
  return new Promise((resolve) => {
    const failed = (error: Error): void => {
      server.off('listening', began);
      resolve(error);
    };
    const began = (): void => {
      server.off('error', failed);
      resolve(undefined);
    };
    server.once('error', failed);
    server.once('listening', began);
    server.listen(0, host);
  });
}
