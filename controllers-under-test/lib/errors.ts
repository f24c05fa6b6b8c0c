/** Reading what the API server answered. */
import { ApiException } from '@kubernetes/client-node';

/** The HTTP status of a refusal; undefined for anything that never got an answer. */
export function statusOf(error: unknown): number | undefined {
  return error instanceof ApiException ? error.code : undefined;
}

export function isNotFound(error: unknown): boolean {
  return statusOf(error) === 404;
}

/** Both a stale version and a name that is taken. */
export function isConflict(error: unknown): boolean {
  return statusOf(error) === 409;
}

/** How long the server asked us to stay away; 0 when it did not. */
export function retryAfterMs(error: unknown): number {
  if (!(error instanceof ApiException)) return 0;
  const header: unknown = (error.headers as Readonly<Record<string, string>> | undefined)?.['retry-after'];
  const seconds = Number(header ?? 0);
  return Number.isFinite(seconds) && seconds > 0 ? seconds * 1000 : 0;
}

/** Runs a read whose object may be gone. */
export async function orUndefined<T>(read: Promise<T>): Promise<T | undefined> {
  try {
    return await read;
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}
