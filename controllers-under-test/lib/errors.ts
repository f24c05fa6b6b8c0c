/** Reads the errors of API requests. */
import { ApiException } from '@kubernetes/client-node';

/** The HTTP status of an error response; undefined if there was no response. */
export function statusOf(error: unknown): number | undefined {
  return error instanceof ApiException ? error.code : undefined;
}

export function isNotFound(error: unknown): boolean {
  return statusOf(error) === 404;
}

/** A 409: an outdated resourceVersion, or a name that already exists. */
export function isConflict(error: unknown): boolean {
  return statusOf(error) === 409;
}

/** The delay that the server requested with `Retry-After`; 0 if there is none. */
export function retryAfterMs(error: unknown): number {
  if (!(error instanceof ApiException)) return 0;
  const header: unknown = (error.headers as Readonly<Record<string, string>> | undefined)?.['retry-after'];
  const seconds = Number(header ?? 0);
  return Number.isFinite(seconds) && seconds > 0 ? seconds * 1000 : 0;
}

/** The result of a request; undefined if the object does not exist. */
export async function orUndefined<T>(read: Promise<T>): Promise<T | undefined> {
  try {
    return await read;
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}
