import { HarnessError } from '../model/errors.ts';

/** Returns the error for an invalid configuration or command line. */
export function configInvalid(message: string, options?: ConstructorParameters<typeof HarnessError>[2]): HarnessError {
  return new HarnessError('CONFIG_INVALID', message, options);
}
