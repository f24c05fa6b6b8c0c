import { HarnessError } from '../model/errors.ts';

/** What is wrong with a configuration, or the command line. */
export function configInvalid(message: string, options?: ConstructorParameters<typeof HarnessError>[2]): HarnessError {
  return new HarnessError('CONFIG_INVALID', message, options);
}
